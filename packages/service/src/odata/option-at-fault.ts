import { type RestrictedQuery, restrict, type Scope } from "@cadastre/entitlement";
import { type BoundQuery, constant, QueryError } from "@cadastre/odata";
import type { Store } from "@cadastre/store";
import type { CollectionOptions } from "./query-options.ts";

/** What is run, and where. */
export type Attempt = {
  readonly options: Pick<CollectionOptions, "filter" | "orderBy">;
  /** The query before it was restricted. */
  readonly bound: BoundQuery;
  readonly scope: Scope;
  readonly store: Store;
};

/** Run `work`. An error of the query that names no option gets the name of the one that cannot be run. */
export async function namingOption<T>(attempt: Attempt, work: () => Promise<T>): Promise<T> {
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

/** Whether the store takes the query's order: asked of no row, for which its filter does not matter. */
async function sorts({ bound, scope, store }: Attempt): Promise<boolean> {
  const query: RestrictedQuery = restrict({ ...bound, filter: constant(false) }, scope);
  try {
    await store.page(query);
    return true;
  } catch {
    return false;
  }
}
