import { QueryError } from "../errors.ts";
import type { EntitySet } from "../model/types.ts";
import type { ComputeItem, OrderByItem, SelectItem } from "../syntax/items.ts";
import type { SearchNode, SyntaxNode } from "../syntax/tree.ts";
import { bindFilter, bindOrderBy } from "./bind.ts";
import { bindCompute, computedProjection } from "./compute.ts";
import type { BindOptions, ComputedExpressions } from "./context.ts";
import { findProperty } from "./path.ts";
import { bindSearch } from "./search.ts";
import {
  allOf,
  type BoundNode,
  type BoundOrderBy,
  type BoundQuery,
  type Projection,
  propertyNode,
} from "./tree.ts";

/** The parsed options of a query over one entity set. */
export type QueryParts = {
  readonly filter?: SyntaxNode | undefined;
  readonly search?: SearchNode | undefined;
  readonly orderBy?: readonly OrderByItem[] | undefined;
  readonly select?: readonly SelectItem[] | undefined;
  readonly compute?: readonly ComputeItem[] | undefined;
  /** Size of a page, in records. */
  readonly top: number;
  readonly skip?: number;
  /** See {@link BoundQuery.after}. */
  readonly after?: readonly unknown[] | null;
};

/**
 * Binds all options of a query. The key is appended to the order as a tie-breaker. Without `$orderby`, the order is
 * `defaultOrder` (names of properties, ascending), then the key.
 *
 * @throws {QueryError} whose `option` names the option at fault.
 */
export function bindQuery(
  parts: QueryParts,
  entitySet: EntitySet,
  defaultOrder: readonly string[] = [],
  given?: BindOptions,
): BoundQuery {
  const { filter, search, orderBy, select, compute } = parts;
  const options =
    compute === undefined
      ? given
      : { ...given, computed: inOption("$compute", () => bindCompute(compute, entitySet, given)) };
  const conditions = [
    filter && inOption("$filter", () => bindFilter(filter, entitySet, options)),
    search && inOption("$search", () => bindSearch(search, entitySet, options?.searchable)),
  ];
  return {
    entitySet,
    filter: allOf(...conditions.filter((condition) => condition !== undefined)),
    orderBy: inOption("$orderby", () => bindTotalOrder(orderBy, entitySet, defaultOrder, options)),
    select: inOption("$select", () => bindSelect(select, entitySet, options?.computed)),
    top: parts.top,
    skip: parts.skip ?? 0,
    after: parts.after ?? null,
  };
}

/** Runs `bind`, and adds the option's name to its errors. */
function inOption<T>(option: string, bind: () => T): T {
  try {
    return bind();
  } catch (error) {
    throw error instanceof QueryError ? error.in(option) : error;
  }
}

function bindTotalOrder(
  items: readonly OrderByItem[] | undefined,
  entitySet: EntitySet,
  defaultOrder: readonly string[],
  options: BindOptions | undefined,
): readonly BoundOrderBy[] {
  const { properties, key } = entitySet.type;
  const ascending = (names: readonly string[]): readonly BoundOrderBy[] =>
    names.flatMap((name) => {
      const property = properties.get(name);
      return property === undefined ? [] : [{ expression: propertyNode(property), direction: "asc" }];
    });
  const asked = items === undefined ? ascending(defaultOrder) : bindOrderBy(items, entitySet, options);
  const sorted = new Set(asked.map(({ expression }) => ownProperty(expression)));
  return [...asked, ...ascending(key.filter((name) => !sorted.has(name)))];
}

/**
 * Name of a property of the entity itself; null for other expressions. A related entity may have a property of the
 * same name.
 */
const ownProperty = (node: BoundNode): string | null =>
  node.kind === "Property" && node.base === undefined ? node.property.name : null;

const allProjections = new WeakMap<EntitySet, readonly Projection[]>();

/**
 * Projects every property. Returns the same array for the same set, so that results derived from it can be cached
 * by identity.
 */
function selectAll(entitySet: EntitySet): readonly Projection[] {
  const known = allProjections.get(entitySet);
  if (known !== undefined) return known;
  const all = [...entitySet.type.properties.values()].map((property) => ({
    property,
    expression: propertyNode(property),
  }));
  allProjections.set(entitySet, all);
  return all;
}

const none: ComputedExpressions = new Map();

/**
 * Binds `$select`: the named properties in the order of the model, then the computed ones. Without `$select`, or
 * with `*`, all properties.
 */
export function bindSelect(
  items: readonly SelectItem[] | undefined,
  entitySet: EntitySet,
  computed: ComputedExpressions = none,
): readonly Projection[] {
  const own = selectAll(entitySet);
  const added = [...computed].map(([name, expression]) => computedProjection(name, expression));
  const all = added.length === 0 ? own : [...own, ...added];
  if (items === undefined) return all;
  const wanted = new Set(items.flatMap((item) => selected(item, entitySet, computed)));
  return wanted.size === all.length ? all : all.filter(({ property }) => wanted.has(property.name));
}

function selected(item: SelectItem, entitySet: EntitySet, computed: ComputedExpressions): readonly string[] {
  const [name = "", ...rest] = item.path;
  if (name === "*") return [...entitySet.type.properties.keys(), ...computed.keys()];
  if (!computed.has(name))
    findProperty(name, { start: item.start, end: item.start + name.length }, entitySet.type);
  const [below] = rest;
  if (below !== undefined) {
    throw new QueryError(
      "unknown_property",
      { start: item.start + name.length + 1, end: item.end },
      { name: below },
    );
  }
  if (item.options !== null)
    throw new QueryError("not_supported", item, { feature: "options inside `$select`" });
  return [name];
}
