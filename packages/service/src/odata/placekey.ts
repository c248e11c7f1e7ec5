import { type BoundNode, type EntitySet, equals, propertyNode, QueryError } from "@cadastre/odata";
import { cellOfWhere } from "@cadastre/reso";
import { isValidCell } from "h3-js";
import { textNode } from "./text-node.ts";

/**
 * `what@where` or `@where`, as records carry it. Source: Placekey technical white paper, section "Design": digits and
 * consonants of base 32, `e` and `u` where a word would else be spelled, `a` to pad.
 */
const symbols = "[2-9a-hjkmnp-z]";
const placekeyPattern = new RegExp(
  `^(?:${symbols}{3,}(?:-${symbols}{3,})?)?@${symbols}{3}-${symbols}{3}-${symbols}{3}$`,
);

/** Whether the text is written as a Placekey is, and its where part is that of a hexagon that there is. */
function isCanonical(placekey: string): boolean {
  if (!placekeyPattern.test(placekey)) return false;
  const cell = cellOfWhere(placekey.slice(placekey.indexOf("@") + 1));
  return cell !== undefined && isValidCell(cell);
}

/**
 * Whether a record is a listing of the property with this Placekey.
 *
 * @throws {QueryError} if the set has no Placekey, or the text is none.
 */
export function isAtPlacekey(placekey: string, { type }: EntitySet): BoundNode {
  const property = type.properties.get("Placekey");
  if (property === undefined) {
    throw new QueryError("unknown_property", null, { name: "Placekey" }, "placekey");
  }
  if (!isCanonical(placekey)) {
    const details = { name: "placekey", expected: "a canonical Placekey", text: placekey };
    throw new QueryError("invalid_option", { start: 0, end: placekey.length }, details, "placekey");
  }
  return equals(propertyNode(property), textNode(placekey));
}
