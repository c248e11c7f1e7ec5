import { createHash } from "node:crypto";
import type { Row } from "@cadastre/odata";
import { ulidBytes, ulidOf } from "../ulid.ts";
import { inPrecedence, mergedAttributes, newestOf } from "./survivorship.ts";

/** A physical property as shown to one caller. Source: interface specification, section 2.4. */
export type PropertyView = {
  /** A Placekey, or `prov:<ULID>`. */
  readonly id: string;
  readonly domain: "listing";
  /**
   * A ULID that changes whenever anything else in the view changes. It sorts by the newest change of a listing in the view.
   */
  readonly version: string;
  readonly attributes: Row;
};

/**
 * Returns the view of a property.
 *
 * @param listings all listings of the property; there must be at least one
 * @param isSeen returns true if the caller may see a field
 */
export function viewOf(
  id: string,
  listings: readonly Row[],
  isSeen: (field: string) => boolean,
): PropertyView {
  const attributes = mergedAttributes(inPrecedence(listings), isSeen);
  const content = JSON.stringify([id, attributes]);
  const hash = createHash("sha256").update(content).digest();
  const version = ulidOf(newestOf(listings), hash.subarray(0, ulidBytes));
  return { id, domain: "listing", version, attributes };
}
