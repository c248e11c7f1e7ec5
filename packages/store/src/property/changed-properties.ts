import type { BoundQuery } from "@cadastre/odata";
import { compareCodePoints } from "../code-points.ts";
import { type ListingOptions, type ListingReads, readListings } from "../read-listings.ts";
import type { Resolution } from "../registry/identities.ts";
import type { Bookmark } from "../store.ts";
import { identitiesOf } from "./identity.ts";
import { listedId, selectListedId } from "./listed-id.ts";
import { listingQuery } from "./listings.ts";
import { readIdentity } from "./read-property.ts";
import type { PropertyView } from "./view.ts";

export type ChangedPropertyReads = ListingReads & {
  /** Resolutions to use at both checkpoints. */
  readonly resolutions: readonly Resolution[];
};

export type Window = {
  readonly since: number;
  readonly asOf: number;
  readonly signal?: AbortSignal | undefined;
};

/**
 * Returns the ids of properties that may differ between two checkpoints, sorted by code points: those of listings with a version
 * that began or ended between them, as the scope shows them. All other properties are equal at both checkpoints.
 */
export async function changedProperties(
  reads: ChangedPropertyReads,
  { since, asOf, signal }: Window,
): Promise<readonly string[]> {
  const identities = identitiesOf(reads.resolutions);
  const ids = new Set<string>();
  for (const state of [
    { asOf: since, until: asOf },
    { asOf, since },
  ])
    for await (const id of idsOf(reads, { ...state, signal })) ids.add(identities(id).id);
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

/** Streams the properties with the given ids as of a checkpoint. An id without a property at that checkpoint is skipped. */
export async function* readPropertiesOf(
  ids: readonly string[],
  { resolutions, ...reads }: ChangedPropertyReads,
  options: Omit<Window, "since">,
): AsyncGenerator<PropertyView> {
  const identities = identitiesOf(resolutions);
  for (const id of ids) {
    const view = await readIdentity(identities(id), reads, options);
    if (view !== undefined) yield view;
  }
}
