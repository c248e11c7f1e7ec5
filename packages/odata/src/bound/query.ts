import { QueryError } from "../errors.ts";
import type { EntitySet } from "../model/types.ts";
import type { ComputeItem, ExpandItem, OrderByItem, SelectItem } from "../syntax/items.ts";
import type { SearchNode, SyntaxNode } from "../syntax/tree.ts";
import { bindFilter, bindOrderBy } from "./bind.ts";
import { bindCompute } from "./compute.ts";
import type { BindOptions } from "./context.ts";
import { bindSearch } from "./search.ts";
import { bindSelect } from "./select.ts";
import { allOf, type BoundNode, type BoundOrderBy, type BoundQuery, propertyNode } from "./tree.ts";

/** The parsed options of a query over one entity set. */
export type QueryParts = {
  readonly filter?: SyntaxNode | undefined;
  readonly search?: SearchNode | undefined;
  readonly orderBy?: readonly OrderByItem[] | undefined;
  readonly select?: readonly SelectItem[] | undefined;
  readonly compute?: readonly ComputeItem[] | undefined;
  /** Items of `$expand`: their navigation properties may be in `select` too. {@link bindExpand} binds them. */
  readonly expand?: readonly ExpandItem[] | undefined;
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
  const { filter, search, orderBy, select, compute, expand } = parts;
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
    select: inOption("$select", () => bindSelect(select, entitySet, options?.computed, expand)),
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
