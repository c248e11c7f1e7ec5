import { createHash } from "node:crypto";
import type { Row } from "@cadastre/odata";
import { ulidBytes, ulidOf } from "../ulid.ts";
import { inPrecedence, newestOf, survivors } from "./survivorship.ts";

/** A physical property as one caller sees it. Source: interface specification, section 2.4. */
export type PropertyView = {
  /** A Placekey, or `prov:<ULID>`. */
  readonly id: string;
  readonly domain: "listing";
  /** A ULID: another one whenever anything else of the view is. It sorts by the newest change of a listing in the view. */
  readonly version: string;
  readonly attributes: Row;
};

/** The property of these listings, of which there is one at least. */
export function viewOf(
  id: string,
  listings: readonly Row[],
  isSeen: (field: string) => boolean,
): PropertyView {
  const attributes = survivors(inPrecedence(listings), isSeen);
  const content = JSON.stringify([id, attributes]);
  const hash = createHash("sha256").update(content).digest();
  const version = ulidOf(newestOf(listings), hash.subarray(0, ulidBytes));
  return { id, domain: "listing", version, attributes };
}
