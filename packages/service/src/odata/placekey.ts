import type { Scope } from "@cadastre/entitlement";
import { type BoundQuery, type EntitySet, QueryError } from "@cadastre/odata";
import { allOf } from "@cadastre/odata/tree";
import type { Store } from "@cadastre/store";
import { bindListingsOf } from "@cadastre/store/property";
import { isCanonicalPlacekey } from "../identity/placekey.ts";
import type { RecentIdentities } from "../identity/recent-identities.ts";
import type { Stages } from "../telemetry/stages.ts";

/** @throws {QueryError} if the set has no Placekey, or the text is not a canonical one */
export function requirePlacekey(placekey: string, { type }: EntitySet): void {
  if (!type.properties.has("Placekey"))
    throw new QueryError("unknown_property", null, { name: "Placekey" }, "placekey");
  if (isCanonicalPlacekey(placekey)) return;
  const details = { name: "placekey", expected: "a canonical Placekey", text: placekey };
  throw new QueryError("invalid_option", { start: 0, end: placekey.length }, details, "placekey");
}

/** The caller that listings are looked up for. */
type PlacekeyCaller = { readonly scope: Scope; readonly stages: Stages; readonly signal: AbortSignal };

/**
 * Restricts a query to the listings of the property that a Placekey stands for, the same ones that `/v1/properties/{id}` uses. They are
 * looked up as of a checkpoint, by default the current one.
 */
export async function atPlacekey(
  query: BoundQuery,
  placekey: string | undefined,
  { scope, stages, signal }: PlacekeyCaller,
  { store, identities }: { readonly store: Store; readonly identities: RecentIdentities },
  asOf?: number,
): Promise<BoundQuery> {
  if (placekey === undefined) return query;
  const reads = { store, entitySet: query.entitySet, scope, identities: await identities() };
  const listings = await stages.timeAsync("run", () => bindListingsOf(placekey, reads, { asOf, signal }));
  return { ...query, filter: allOf(listings, query.filter) };
}
