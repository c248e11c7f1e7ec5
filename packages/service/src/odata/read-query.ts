import { type RestrictedQuery, restrict, type Scope } from "@cadastre/entitlement";
import { type BoundQuery, bindQuery, type EntitySet, QueryError, type QueryParts } from "@cadastre/odata";
import { constant, equals, propertyNode, textConstant } from "@cadastre/odata/tree";
import type { Store } from "@cadastre/store";
import { defaultOrder } from "../catalog.ts";
import { Refused } from "../errors.ts";
import type { EntityKey } from "./address.ts";
import type { JsonFormat } from "./format.ts";
import { requirePlacekey } from "./placekey.ts";
import type { CollectionOptions, RowOptions } from "./query-options.ts";

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
    const isOrder = filter === undefined || (orderBy !== undefined && !(await acceptsOrder(attempt)));
    throw error.in(isOrder ? "$orderby" : "$filter");
  }
}

/** True if the store accepts the order of the query. Tests it with a filter that matches no row. */
async function acceptsOrder({ bound, scope, store }: QueryAttempt): Promise<boolean> {
  const query: RestrictedQuery = restrict({ ...bound, filter: constant(false) }, scope);
  try {
    await store.page(query);
    return true;
  } catch {
    return false;
  }
}

/** Binds the query of a collection or its count. Checks `placekey`, but does not apply it: `atPlacekey` does. */
export function bindRows(options: RowOptions & QueryParts, entitySet: EntitySet): BoundQuery {
  const { ignoreCase, aliases, placekey } = options;
  const query = bindQuery(options, entitySet, defaultOrder, { aliases, ignoreCase });
  if (placekey !== undefined) requirePlacekey(placekey, entitySet);
  return query;
}

/**
 * Binds the query of one entity.
 *
 * @throws {Refused} `not_found` if the predicate names a property other than the key
 */
export function bindOne(select: QueryParts["select"], entitySet: EntitySet, key: EntityKey): BoundQuery {
  const [name = ""] = entitySet.type.key;
  const property = entitySet.type.properties.get(name);
  if (property === undefined || (key.name !== null && key.name !== name)) throw new Refused("not_found");
  const query = bindQuery({ select, top: 1 }, entitySet);
  return { ...query, filter: equals(propertyNode(property), textConstant(key.value)) };
}

/** Adds the key to the selected properties if the answer has links (full metadata), which are built from it. */
export function readFor({ metadata }: JsonFormat, query: BoundQuery): BoundQuery {
  if (metadata !== "full") return query;
  const { select, entitySet } = query;
  const selected = new Set(select.map(({ property }) => property.name));
  const missing = entitySet.type.key
    .filter((name) => !selected.has(name))
    .flatMap((name) => entitySet.type.properties.get(name) ?? [])
    .map((property) => ({ property, expression: propertyNode(property) }));
  return missing.length === 0 ? query : { ...query, select: [...select, ...missing] };
}
