import { type PublicCode, Refused } from "../errors.ts";

/** Longest id, in characters. Source: interface specification, section 8. */
const maxIdLength = 256;

/**
 * Decodes the id in a path.
 *
 * @param code error code for an id that is empty, too long, not UTF-8, or has a control character
 */
export function readPathId(place: string, code: PublicCode): string {
  const id = decode(place, code);
  const { length } = Array.from(id);
  if (length === 0 || length > maxIdLength || /\p{Cc}/u.test(id)) throw new Refused(code);
  return id;
}

function decode(place: string, code: PublicCode): string {
  try {
    return decodeURIComponent(place);
  } catch {
    throw new Refused(code);
  }
}
