import type { BoundNode, BoundQuery, EntitySet, StructuralProperty } from "@cadastre/odata";
import { constant, propertyNode } from "@cadastre/odata/tree";

export function prop(entitySet: EntitySet, name: string): StructuralProperty {
  const found = entitySet.type.properties.get(name);
  if (found === undefined) throw new Error(`the fixture has no property ${name}`);
  return found;
}

export const node = (entitySet: EntitySet, name: string): BoundNode => propertyNode(prop(entitySet, name));

export const literal = (value: string | bigint | null): BoundNode => ({
  kind: "Constant",
  type: value === null ? "Null" : typeof value === "bigint" ? "Edm.Int64" : "Edm.String",
  value,
});

export const compare = (
  left: BoundNode,
  comparator: "eq" | "ne" | "gt" | "lt",
  right: BoundNode,
): BoundNode => ({ kind: "Compare", type: "Edm.Boolean", comparator, left, right });

/** `Collection/any(x: x eq value)`, or `all`. */
export const lambda = (collection: BoundNode, operator: "any" | "all", value: string): BoundNode => {
  const variable = { kind: "Variable", type: "Edm.String", name: "x" } as const;
  const predicate = compare(variable, "eq", literal(value));
  return { kind: "Lambda", type: "Edm.Boolean", operator, collection, variable, predicate };
};

export const choice = (when: BoundNode, value: BoundNode): BoundNode => ({
  kind: "Choice",
  type: "Edm.Boolean",
  when,
  value,
});

export const query = (entitySet: EntitySet, changes: Partial<BoundQuery> = {}): BoundQuery => ({
  entitySet,
  filter: constant(true),
  orderBy: entitySet.type.key.map((name) => ({ expression: node(entitySet, name), direction: "asc" })),
  select: [...entitySet.type.properties.values()].map((property) => ({
    property,
    expression: propertyNode(property),
  })),
  top: 100,
  skip: 0,
  after: null,
  ...changes,
});
