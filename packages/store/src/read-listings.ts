import { restrict, type Scope } from "@cadastre/entitlement";
import type { BoundQuery, EntitySet, Row } from "@cadastre/odata";
import type { Bookmark, ReadOptions, Store } from "./store.ts";

export type ListingReads = {
  readonly store: Pick<Store, "page">;
  /** Entity set of the listings, including their hidden fields. */
  readonly entitySet: EntitySet;
  readonly scope: Scope;
};

/** Selects the state to read: the current one, the one at a checkpoint, or the changes between checkpoints. */
export type ListingOptions = Pick<ReadOptions, "asOf" | "since" | "until" | "signal" | "stages">;

/** Reads a page of the listings that match a query, restricted to the scope. */
export async function readListings(
  query: BoundQuery,
  { store, scope }: ListingReads,
  options: ListingOptions & { readonly from?: Bookmark | undefined },
): Promise<{ readonly listings: readonly Row[]; readonly next: Bookmark | null }> {
  const { records, release, next } = await store.page(restrict(query, scope), { nulls: false, ...options });
  const text = Buffer.from(records).toString();
  release?.();
  return { listings: JSON.parse(`[${text}]`) as readonly Row[], next };
}
