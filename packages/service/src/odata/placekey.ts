import { type BoundQuery, type EntitySet, QueryError } from "@cadastre/odata";
import { allOf } from "@cadastre/odata/tree";
import { bindListingsOf } from "@cadastre/store/property";
import { isCanonicalPlacekey } from "../identity/placekey.ts";
import type { PageStart } from "./continuation.ts";
import type { OdataRequest } from "./odata-request.ts";
import type { OdataServices } from "./services.ts";

/** @throws {QueryError} if the set has no Placekey, or the text is not a canonical one */
export function requirePlacekey(placekey: string, { type }: EntitySet): void {
  if (!type.properties.has("Placekey"))
    throw new QueryError("unknown_property", null, { name: "Placekey" }, "placekey");
  if (isCanonicalPlacekey(placekey)) return;
  const details = { name: "placekey", expected: "a canonical Placekey", text: placekey };
  throw new QueryError("invalid_option", { start: 0, end: placekey.length }, details, "placekey");
}

/**
 * Restricts a query to the listings of the property that a Placekey stands for, the same ones that `/v1/properties/{id}` uses. They are
 * looked up as of the checkpoint of the page.
 */
export async function atPlacekey(
  query: BoundQuery,
  placekey: string | undefined,
  { scope, stages, clientGone }: OdataRequest,
  { store, identities }: Pick<OdataServices, "store" | "identities">,
  from?: PageStart["from"],
): Promise<BoundQuery> {
  if (placekey === undefined) return query;
  const reads = { store, entitySet: query.entitySet, scope, identities: await identities() };
  const listings = await stages.timeAsync("run", () =>
    bindListingsOf(placekey, reads, { asOf: from?.checkpoint, signal: clientGone() }),
  );
  return { ...query, filter: allOf(listings, query.filter) };
}
