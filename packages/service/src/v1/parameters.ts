import { Refused } from "../errors.ts";

/** Longest part of an unknown name that an error quotes, in characters. */
const maxTarget = 64;

/**
 * Parses a query string strictly: unknown, repeated and malformed parameters are errors and never ignored.
 *
 * @throws {Refused} `unknown_parameter`, `duplicate_parameter`, `invalid_encoding`
 */
export function readParameters(query: string, known: readonly string[]): ReadonlyMap<string, string> {
  const parameters = new Map<string, string>();
  for (const pair of query.split("&").filter((text) => text !== "")) {
    const [name = "", ...rest] = pair.split("=");
    const decoded = decode(name);
    if (!known.includes(decoded))
      throw new Refused("unknown_parameter", { target: decoded.slice(0, maxTarget), allowed: known });
    if (parameters.has(decoded)) throw new Refused("duplicate_parameter", { target: decoded });
    parameters.set(decoded, decode(rest.join("=")));
  }
  return parameters;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    throw new Refused("invalid_encoding");
  }
}
