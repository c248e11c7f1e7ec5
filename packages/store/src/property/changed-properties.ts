import type { BoundQuery } from "@cadastre/odata";
import { compareCodePoints } from "../code-points.ts";
import { type ListingOptions, type ListingReads, readListings } from "../read-listings.ts";
import type { Bookmark } from "../store.ts";
import { identitiesOf } from "./identity.ts";
import { listedId, selectListedId } from "./listed-id.ts";
import { listingQuery } from "./listings.ts";
import type { ChangedPropertyReads } from "./read-properties-of.ts";

export type Window = {
  readonly since: number;
  readonly asOf: number;
  readonly signal?: AbortSignal | undefined;
};

/**
 * Returns the ids of properties that may differ between two checkpoints, sorted by code points: those of listings with a version
 * that began or ended between them, as the scope shows them. All other properties are equal at both checkpoints.
 */
export const changedProperties = (
  reads: ChangedPropertyReads,
  { since, asOf, signal }: Window,
): Promise<readonly string[]> =>
  idsOfAll(reads, [
    { asOf: since, until: asOf, signal },
    { asOf, since, signal },
  ]);

/**
 * Returns the ids of properties that the scope showed at `since` and may not show at `asOf`, sorted by code points: those of listings with
 * a version that ended between the checkpoints.
 */
export const endedProperties = (
  reads: ChangedPropertyReads,
  { since, asOf, signal }: Window,
): Promise<readonly string[]> => idsOfAll(reads, [{ asOf: since, until: asOf, signal }]);

/** Returns the ids of the properties that the listings of some states belong to. */
async function idsOfAll(
  reads: ChangedPropertyReads,
  states: readonly ListingOptions[],
): Promise<readonly string[]> {
  const identities = identitiesOf(reads.resolutions);
  const ids = new Set<string>();
  for (const state of states) for await (const id of idsOf(reads, state)) ids.add(identities(id).id);
  return [...ids].toSorted(compareCodePoints);
}

/** Streams the property ids of the changed listings of a state. */
async function* idsOf(reads: ListingReads, options: ListingOptions): AsyncGenerator<string> {
  const base = listingQuery(reads);
  const query: BoundQuery = {
    ...base,
    select: selectListedId(reads),
    orderBy: base.orderBy.slice(-1),
    top: pageSize,
  };
  for (let from: Bookmark | null | undefined; from !== null; ) {
    const { listings, next } = await readListings(query, reads, { ...options, from });
    for (const listing of listings) {
      const id = listedId(listing);
      if (id !== undefined) yield id;
    }
    from = next;
  }
}

/** Number of listings in a page. */
const pageSize = 1000;
