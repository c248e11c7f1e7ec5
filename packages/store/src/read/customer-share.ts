import { type RestrictedQuery, scopeOf } from "@cadastre/entitlement";
import type { Store } from "../store.ts";
import type { QueryUsage } from "./query-usage.ts";
import type { CustomerShare } from "./scheduler.ts";

/** Limits of a customer whose entitlement does not set them. */
export type QueryLimits = {
  /** Maximum number of running and waiting queries of a customer. By default 100. */
  readonly concurrent?: number | undefined;
  /** Seconds per minute that a customer's scans may take. By default unlimited. */
  readonly scanSeconds?: number | undefined;
  /** Use of the limits, if other processes share them. By default each store counts for itself. */
  readonly usage?: QueryUsage | undefined;
};

/** Returns the share of readers for the customer whose scope restricts the query. */
export function shareOf(
  query: RestrictedQuery,
  { concurrent = 100, scanSeconds }: QueryLimits = {},
): CustomerShare {
  const { customer = "", limits = {} } = scopeOf(query) ?? {};
  return {
    customer,
    weight: limits.query_weight ?? 1,
    queries: limits.concurrent_queries ?? concurrent,
    scanSeconds: limits.scan_seconds ?? scanSeconds ?? Number.POSITIVE_INFINITY,
  };
}

/** Returns a store that runs all reads in the background, see `ReadOptions`. */
export const inBackground = (store: Store): Store => ({
  page: (query, options) => store.page(query, { ...options, background: true }),
  changes: (query, read) => store.changes(query, { ...read, background: true }),
  count: (query, options) => store.count(query, { ...options, background: true }),
  cells: (query, cellsPerUnit, options) => store.cells(query, cellsPerUnit, { ...options, background: true }),
  apply: (restricted, read, options) => store.apply(restricted, read, { ...options, background: true }),
  countApplied: (restricted, options) => store.countApplied(restricted, { ...options, background: true }),
  one: (query, options) => store.one(query, { ...options, background: true }),
  checkpoint: store.checkpoint,
  committedAt: store.committedAt,
  stateAt: store.stateAt,
  coverage: store.coverage,
  close: store.close,
});

/** Unlimited share, for reads that belong to no customer's query. */
export const unlimitedShare: CustomerShare = {
  customer: "",
  weight: 1,
  queries: Number.POSITIVE_INFINITY,
  scanSeconds: Number.POSITIVE_INFINITY,
};
