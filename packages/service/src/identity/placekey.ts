import { cellOfWhere } from "@cadastre/reso";
import { isValidCell } from "h3-js";

/**
 * Characters of a Placekey (`what@where` or `@where`): base 32 of digits and consonants, `e` and `u` as replacements that avoid offensive
 * words, and `a` as padding. Source: Placekey technical white paper, section "Design".
 */
const symbols = "[2-9a-hjkmnp-z]";
const placekeyPattern = new RegExp(
  `^(?:${symbols}{3,}(?:-${symbols}{3,})?)?@${symbols}{3}-${symbols}{3}-${symbols}{3}$`,
);

/** True if the text is a well-formed Placekey, and its `where` part is that of a valid H3 cell. */
export const isCanonicalPlacekey = (text: string): boolean => cellOfPlacekey(text) !== undefined;

/** Returns the H3 index of a canonical Placekey's hexagon. Undefined for any other text. */
export function cellOfPlacekey(text: string): string | undefined {
  if (!placekeyPattern.test(text)) return undefined;
  const cell = cellOfWhere(text.slice(text.indexOf("@") + 1));
  return cell !== undefined && isValidCell(cell) ? cell : undefined;
}
