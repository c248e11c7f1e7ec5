import { QueryError } from "../errors.ts";
import {
  type EntitySet,
  type EntityType,
  isEntityType,
  type StructuredProperty,
  type StructuredType,
} from "../model/types.ts";
import { nearest } from "../nearest.ts";
import { children } from "../syntax/children.ts";
import type { ExpandItem, SelectOptions } from "../syntax/items.ts";
import type { Span, SyntaxNode } from "../syntax/tree.ts";
import type { BindOptions } from "./context.ts";
import { segmentsOf, withoutCasts } from "./path.ts";
import { bindQuery } from "./query.ts";
import { type BoundQuery, propertyNode } from "./tree.ts";

/**
 * One item of `$expand`: the entities that a navigation property leads to. It is not part of a {@link BoundQuery}.
 */
export type BoundExpand = {
  readonly navigation: StructuredProperty;
  /** Selects among the related entities of each entity. Without `$top`, its `top` is infinite. */
  readonly query: BoundQuery;
  /**
   * Requested count of the related entities: `Rooms/$count` asks for it alone ("only"), `Rooms($count=true)` for it
   * as well ("also").
   */
  readonly count: "only" | "also" | "no";
  /** Name of the entity set of the references that `Rooms/$ref` asks for; null for the entities themselves. */
  readonly referenceTo: string | null;
  readonly expand: readonly BoundExpand[];
};

/** Maximum of `$levels`, and meaning of `$levels=max`: each level costs a query. */
const mostLevels = 16;

/** Maximum number of queries of one `$expand`, including nested items and each of their levels. */
const mostQueries = 100;

/** Options common to all items, and the number of items bound so far. */
type ExpandContext = { readonly options: BindOptions; queries: number };

/**
 * Binds the items of `$expand`; `*` stands for every navigation property that no other item names. Computed
 * properties of the outer query are unknown inside an item.
 *
 * @throws {QueryError} with the option at fault; `not_supported` for `$value`, paths, `$search`, `$apply`, for `$it` in an option
 * inside an item, and for `$ref` to entities that `options.entitySetOf` knows no set of.
 */
export function bindExpand(
  items: readonly ExpandItem[],
  entitySet: EntitySet,
  options: BindOptions = {},
): readonly BoundExpand[] {
  try {
    return expandOf(items, entitySet.type, { options: { ...options, computed: new Map() }, queries: 0 });
  } catch (error) {
    throw error instanceof QueryError ? error.in("$expand") : error;
  }
}

function expandOf(
  items: readonly ExpandItem[],
  type: StructuredType,
  context: ExpandContext,
): readonly BoundExpand[] {
  const named = new Set<string>();
  for (const item of items) {
    const name = item.path.join("/");
    if (named.has(name)) throw new QueryError("duplicate_option", item, { name });
    named.add(name);
  }
  return items.flatMap((item) => {
    const navigations = item.path[0] === "*" ? others(type, named) : [findNavigation(item, type)];
    return navigations.map((navigation) => bindItem(item, navigation, context));
  });
}

const navigationsOf = (type: StructuredType): readonly StructuredProperty[] =>
  [...(type.structured?.values() ?? [])].filter(({ target }) => isEntityType(target()));

const others = (type: StructuredType, named: ReadonlySet<string>): readonly StructuredProperty[] =>
  navigationsOf(type).filter(({ name }) => !named.has(name));

function findNavigation(item: ExpandItem, type: StructuredType): StructuredProperty {
  const [first, ...rest] = withoutCasts(segmentsOf(item.path, item.start), type);
  const { name, span } = first ?? { name: item.path.join("/"), span: item };
  const navigation = navigationsOf(type).find((candidate) => candidate.name === name);
  if (navigation === undefined) {
    if (type.structured?.has(name) === true) throw notSupported("a path in `$expand`", item);
    const suggestion = nearest(
      name,
      navigationsOf(type).map((candidate) => candidate.name),
    );
    throw new QueryError(
      "unknown_property",
      span,
      suggestion === undefined ? { name } : { name, suggestion },
    );
  }
  if (withoutCasts(rest, navigation.target()).length > 0) throw notSupported("a path in `$expand`", item);
  return navigation;
}

const notSupported = (feature: string, span: Span) => new QueryError("not_supported", span, { feature });

/** Options inside an item that are not supported. */
const unsupported = [
  "search",
  "apply",
  "at",
  "from",
  "to",
  "toInclusive",
  "aliases",
] as const satisfies readonly (keyof SelectOptions)[];

/** Options inside an item that apply only to collections. */
const ofCollections = [
  "filter",
  "orderBy",
  "top",
  "skip",
  "count",
] as const satisfies readonly (keyof SelectOptions)[];

/** @param level number of this level of `$levels`, from 1 */
function bindItem(
  item: ExpandItem,
  navigation: StructuredProperty,
  context: ExpandContext,
  level = 1,
): BoundExpand {
  const before = context.queries;
  context.queries += 1;
  if (context.queries > mostQueries) {
    const measure = "the number of expanded properties, each level counted,";
    throw new QueryError("query_too_complex", item, { measure, limit: mostQueries });
  }
  const type = navigation.target();
  if (!isEntityType(type)) throw notSupported("a path in `$expand`", item);
  if (item.suffix === "$value") throw notSupported("`$value` in `$expand`", item);
  const referenceTo = item.suffix === "$ref" ? setOfReferences(item, type, context) : null;
  const given = item.options ?? {};
  for (const name of unsupported)
    if (given[name] !== undefined) throw notSupported(`\`$${name}\` in \`$expand\``, item);
  if (!navigation.collection) refuseCollectionOptions(item, given, type);
  refuseOuter(given);
  const { filter, orderBy, select, compute, expand, top = Number.POSITIVE_INFINITY, skip = 0 } = given;
  const entitySet: EntitySet = { name: navigation.name, type };
  const parts = { filter, orderBy, select, compute, expand, top, skip };
  const query = bindQuery(parts, entitySet, [], context.options);
  const nested = expandOf(expand ?? [], type, context);
  const queries = context.queries - before;
  return {
    navigation,
    query: referenceTo === null ? query : { ...query, select: keyOf(type) },
    count: item.suffix === "$count" ? "only" : given.count === true ? "also" : "no",
    referenceTo,
    expand: [...nested, ...nextLevel({ item, navigation, type, level, queries }, context)],
  };
}

function setOfReferences(item: ExpandItem, type: EntityType, { options }: ExpandContext): string {
  const entitySet = options.entitySetOf?.(type);
  if (entitySet === undefined) throw notSupported("`$ref` in `$expand`", item);
  return entitySet;
}

const keyOf = ({ key, properties }: EntityType): BoundQuery["select"] =>
  key
    .flatMap((name) => properties.get(name) ?? [])
    .map((property) => ({ property, expression: propertyNode(property) }));

function refuseCollectionOptions(item: ExpandItem, given: SelectOptions, { name: actual }: EntityType): void {
  const option = ofCollections.find((name) => given[name] !== undefined);
  const operator = item.suffix === "$count" ? item.suffix : option && `$${option.toLowerCase()}`;
  if (operator !== undefined) throw new QueryError("not_a_collection", item, { operator, actual });
}

/**
 * Refuses `$it` inside an item: it is the entity of the outer query, which the query of a level does not read.
 */
function refuseOuter({ filter, orderBy = [], compute = [] }: SelectOptions): void {
  const visit = (node: SyntaxNode): void => {
    if (node.kind === "Name" && node.name === "$it") throw notSupported("`$it` in `$expand`", node);
    for (const child of children(node)) visit(child);
  };
  const expressions = [...orderBy, ...compute].map(({ expression }) => expression);
  for (const node of filter === undefined ? expressions : [filter, ...expressions]) visit(node);
}

/** An item that was bound on one level of its `$levels`, and the number of queries that a level costs. */
type ExpandLevel = {
  readonly item: ExpandItem;
  readonly navigation: StructuredProperty;
  readonly type: EntityType;
  readonly level: number;
  readonly queries: number;
};

/**
 * Expands `$levels=3` into the item once more inside itself, up to the third level, if the target type has the same
 * navigation property. `max` stands for as many levels as there may be.
 */
function nextLevel(
  { item, navigation, type, level, queries }: ExpandLevel,
  context: ExpandContext,
): readonly BoundExpand[] {
  const { levels = 1 } = item.options ?? {};
  if (levels !== "max" && levels > mostLevels)
    throw new QueryError("limit_exceeded", item, { name: "$levels", limit: mostLevels, actual: levels });
  const again = navigationsOf(type).find(({ name }) => name === navigation.name);
  if (again === undefined || level === (levels === "max" ? mostLevels : levels)) return [];
  if (levels === "max" && context.queries + queries > mostQueries) return [];
  return [bindItem(item, again, context, level + 1)];
}
