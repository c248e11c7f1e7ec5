import { cellOfWhere } from "@cadastre/reso";
import { isValidCell } from "h3-js";

/**
 * `what@where` or `@where`, as records carry it. Source: Placekey technical white paper, section "Design": digits and
 * consonants of base 32, `e` and `u` where a word would else be spelled, `a` to pad.
 */
const symbols = "[2-9a-hjkmnp-z]";
const placekeyPattern = new RegExp(
  `^(?:${symbols}{3,}(?:-${symbols}{3,})?)?@${symbols}{3}-${symbols}{3}-${symbols}{3}$`,
);

/** Whether the text is written as a Placekey is, and its where part is that of a hexagon that there is. */
export const isCanonicalPlacekey = (text: string): boolean => cellOfPlacekey(text) !== undefined;

/** The H3 index of a canonical Placekey's hexagon; undefined for any other text. */
export function cellOfPlacekey(text: string): string | undefined {
  if (!placekeyPattern.test(text)) return undefined;
  const cell = cellOfWhere(text.slice(text.indexOf("@") + 1));
  return cell !== undefined && isValidCell(cell) ? cell : undefined;
}
