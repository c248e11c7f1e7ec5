import { type BoundNode, type EntitySet, equals, propertyNode, QueryError } from "@cadastre/odata";
import { isCanonicalPlacekey } from "../identity/placekey.ts";
import { textNode } from "./text-node.ts";

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
  if (!isCanonicalPlacekey(placekey)) {
    const details = { name: "placekey", expected: "a canonical Placekey", text: placekey };
    throw new QueryError("invalid_option", { start: 0, end: placekey.length }, details, "placekey");
  }
  return equals(propertyNode(property), textNode(placekey));
}
