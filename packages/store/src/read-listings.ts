import { restrict, type Scope } from "@cadastre/entitlement";
import type { BoundQuery, EntitySet, Row } from "@cadastre/odata";
import type { Bookmark, ReadOptions, Store } from "./store.ts";

export type ListingReads = {
  readonly store: Pick<Store, "page">;
  /** The listings, hidden fields and all. */
  readonly entitySet: EntitySet;
  readonly scope: Scope;
};

/** What is there now, or what was there as of a checkpoint. */
export type ListingOptions = Pick<ReadOptions, "asOf" | "signal">;

/** A page of the listings that a query finds, as the scope shows them. */
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
