import { type RestrictedQuery, restrict, type Scope, visibleEntitySet } from "@cadastre/entitlement";
import {
  type BoundNode,
  bindQuery,
  type EntitySet,
  parseFilter,
  parseOrderBy,
  parseSelect,
  type StructuralProperty,
} from "@cadastre/odata";
import { allOf, isAmong, propertyNode, textConstant } from "@cadastre/odata/tree";

/** Returns the key property of a set. */
export function keyProperty({ name, type }: EntitySet): StructuralProperty {
  const property = type.properties.get(type.key[0] ?? "");
  if (property === undefined) throw new RangeError(`the set \`${name}\` has no key`);
  return property;
}

/** Returns a query for the keys of the records that match the filter (all without one), in key order. */
export function keysQuery(
  entitySet: EntitySet,
  scope: Scope,
  filter?: BoundNode,
  top = 1000,
): RestrictedQuery {
  const key = keyProperty(entitySet).name;
  const parts = { select: parseSelect(key), orderBy: parseOrderBy(key), top };
  const query = bindQuery(parts, visibleEntitySet(entitySet, scope));
  return restrict(filter === undefined ? query : { ...query, filter: allOf(filter, query.filter) }, scope);
}

/** Returns a filter for the records with these keys. */
export const hasKeyOf = (entitySet: EntitySet, keys: readonly string[]): BoundNode =>
  isAmong(propertyNode(keyProperty(entitySet)), keys.map(textConstant));

/** Parses and binds an OData filter. */
export const boundFilter = (text: string, entitySet: EntitySet): BoundNode =>
  bindQuery({ filter: parseFilter(text), top: 0 }, entitySet).filter;
