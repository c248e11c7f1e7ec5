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
export function isCanonicalPlacekey(text: string): boolean {
  if (!placekeyPattern.test(text)) return false;
  const cell = cellOfWhere(text.slice(text.indexOf("@") + 1));
  return cell !== undefined && isValidCell(cell);
}
