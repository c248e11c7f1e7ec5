import {
  type BoundExpand,
  type BoundQuery,
  bindExpand,
  bindQuery,
  type EntityModel,
  type EntitySet,
  QueryError,
  type QueryParts,
  type StructuralProperty,
  type StructuredType,
} from "@cadastre/odata";
import { codecOf } from "@cadastre/odata/run";
import { allOf, constant, equals, propertyNode } from "@cadastre/odata/tree";
import { ProtocolError } from "../errors.ts";
import type { JsonFormat } from "../protocol/format.ts";
import type { CollectionOptions, EntityOptions, RowOptions } from "../protocol/query-options.ts";
import type { EntityKey } from "../protocol/resource-address.ts";
import type { AnswerSession, PageRead } from "./answer-session.ts";

/** A query and the options that it was bound from. */
type QueryAttempt = {
  readonly options: Pick<CollectionOptions, "filter" | "orderBy">;
  readonly bound: BoundQuery;
  readonly read: Pick<PageRead, "own" | "signal">;
  readonly session: Pick<AnswerSession, "source">;
};

/** Runs `work`. If it throws a query error, sets its target to the option that cannot be compiled: `$filter` or `$orderby`. */
export async function withOptionTarget<T>(attempt: QueryAttempt, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof QueryError) || error.option !== null) throw error;
    const { filter, orderBy } = attempt.options;
    if (filter === undefined && orderBy === undefined) throw error;
    const isOrder = filter === undefined || (orderBy !== undefined && !(await acceptsOrder(attempt)));
    throw error.in(isOrder ? "$orderby" : "$filter");
  }
}

/** True if the source accepts the order of the query. Tests it with a filter that matches no row. */
async function acceptsOrder({ bound, read, session: { source } }: QueryAttempt): Promise<boolean> {
  try {
    const query = { ...bound, filter: constant(false) };
    const page = await source.page(query, {
      ...read,
      count: false,
      nulls: true,
      form: undefined,
      expand: [],
    });
    page.release?.();
    return true;
  } catch {
    return false;
  }
}

/** Binds the query of a collection or its count. Checks the host's own options, which its source applies. */
export function bindRows(
  options: RowOptions & QueryParts,
  entitySet: EntitySet,
  { queryDefaults, settings }: AnswerSession,
): BoundQuery {
  const { ignoreCase, aliases, own } = options;
  const { orderBy, searchable } = queryDefaults(entitySet);
  if (options.search !== undefined && searchable.length === 0)
    throw new ProtocolError("not_implemented", {
      target: "$search",
      reason: `\`${entitySet.name}\` has no texts to search`,
    });
  const query = bindQuery(options, entitySet, orderBy, { aliases, ignoreCase, searchable });
  for (const [name, text] of own) settings.ownOptions.get(name)?.check(text, entitySet);
  return query;
}

const nothing: readonly BoundExpand[] = [];

/** Binds `$expand`, to the properties that the caller may see. */
export const bindExpansion = (
  { expand, aliases }: Pick<EntityOptions, "expand" | "aliases">,
  entitySet: EntitySet,
  { entitySets }: EntityModel,
): readonly BoundExpand[] => {
  if (expand === undefined) return nothing;
  const entitySetOf = (type: StructuredType) => entitySets.find((one) => one.type === type)?.name;
  return bindExpand(expand, entitySet, { aliases, entitySetOf });
};

/**
 * Binds the query of one entity.
 *
 * @throws {ProtocolError} `not_found` if the predicate does not have the properties of the key, or values that they cannot have
 */
export function bindOne(
  {
    select,
    compute,
    expand,
    aliases,
  }: Partial<Pick<EntityOptions, "select" | "compute" | "expand" | "aliases">>,
  entitySet: EntitySet,
  key: EntityKey,
): BoundQuery {
  const { type } = entitySet;
  const [first] = key;
  if (key.length !== type.key.length) throw wrongKey(entitySet);
  const conditions = type.key.map((name) => {
    const given = first?.name === null && key.length === 1 ? first : key.find((one) => one.name === name);
    const property = type.properties.get(name);
    const value = given && property && keyValueOf(given.value, property);
    if (property === undefined || value === undefined) throw wrongKey(entitySet);
    return equals(propertyNode(property), { kind: "Constant", type: property.type, value });
  });
  const query = bindQuery({ select, compute, expand, top: 1 }, entitySet, [], aliases && { aliases });
  return { ...query, filter: allOf(...conditions) };
}

/** Returns the error of a key that no entity of the set can have. */
function wrongKey({ name, type }: EntitySet): ProtocolError {
  const literals = type.key.map((own) => [
    own,
    type.properties.get(own)?.type === "Edm.String" ? "'…'" : "…",
  ]);
  const [[, only] = []] = literals;
  const form = literals.length === 1 ? only : literals.map((pair) => pair.join("=")).join();
  const types = type.key.map((own) => `\`${own}\` (${type.properties.get(own)?.type})`);
  return new ProtocolError("not_found", {
    reason: `the key of \`${name}\` is ${types.join(" and ")}: write \`${name}(${form})\``,
  });
}

/** Returns the value of a property of the key in memory; undefined if it cannot have this one. */
function keyValueOf(given: EntityKey[number]["value"], { type }: StructuralProperty): unknown {
  if (typeof given === "string") return codecOf(type).parse(given);
  if (given.kind !== "Literal" && given.kind !== "Enum") return undefined;
  // A text is in quotes, and nothing else is.
  const isText = given.kind === "Enum" || given.type === "String";
  return isText === (type === "Edm.String") ? codecOf(type).parse(String(given.value)) : undefined;
}

/** Adds the key to the selected properties if the answer has links (full metadata), which are built from it. */
export const readFor = ({ metadata }: JsonFormat, query: BoundQuery): BoundQuery =>
  metadata === "full" ? selectingKey(query) : query;

/** Adds the properties of the key to those that are selected. */
export function selectingKey(query: BoundQuery): BoundQuery {
  const { select, entitySet } = query;
  const selected = new Set(select.map(({ property }) => property.name));
  const missing = entitySet.type.key
    .filter((name) => !selected.has(name))
    .flatMap((name) => entitySet.type.properties.get(name) ?? [])
    .map((property) => ({ property, expression: propertyNode(property) }));
  return missing.length === 0 ? query : { ...query, select: [...select, ...missing] };
}
