import { type RestrictedQuery, restrict, type Scope } from "@cadastre/entitlement";
import { type BoundQuery, QueryError } from "@cadastre/odata";
import { constant } from "@cadastre/odata/tree";
import type { Store } from "@cadastre/store";
import type { CollectionOptions } from "./query-options.ts";

/** A query and the store that runs it. */
export type QueryAttempt = {
  readonly options: Pick<CollectionOptions, "filter" | "orderBy">;
  /** The query before it was restricted. */
  readonly bound: BoundQuery;
  readonly scope: Scope;
  readonly store: Store;
};

/** Runs `work`. If it throws a query error, sets its target to the option that cannot be compiled: `$filter` or `$orderby`. */
export async function withOptionTarget<T>(attempt: QueryAttempt, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof QueryError)) throw error;
    const { filter, orderBy } = attempt.options;
    if (filter === undefined && orderBy === undefined) throw error;
    const isOrder = filter === undefined || (orderBy !== undefined && !(await sorts(attempt)));
    throw error.in(isOrder ? "$orderby" : "$filter");
  }
}

/** True if the store accepts the order of the query. Tests it with a filter that matches no row. */
async function sorts({ bound, scope, store }: QueryAttempt): Promise<boolean> {
  const query: RestrictedQuery = restrict({ ...bound, filter: constant(false) }, scope);
  try {
    await store.page(query);
    return true;
  } catch {
    return false;
  }
}
