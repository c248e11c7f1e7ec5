import type { BoundNode } from "@cadastre/odata";

/** What must all be true for the filter to be. */
export const conjuncts = (filter: BoundNode): readonly BoundNode[] =>
  filter.kind === "Logical" && filter.operator === "and" ? filter.operands.flatMap(conjuncts) : [filter];

/** Name of the property that the condition pins to one value, null left aside. */
export function pinnedProperty(condition: BoundNode): string | undefined {
  if (condition.kind !== "Compare" || condition.comparator !== "eq") return undefined;
  const { left, right } = condition;
  const [property, value] = left.kind === "Property" ? [left, right] : [right, left];
  if (property.kind !== "Property" || property.base !== undefined) return undefined;
  return value.kind === "Constant" && value.value !== null ? property.property.name : undefined;
}

/** Names of the properties that the filter pins to one value. */
export function pinnedProperties(filter: BoundNode): ReadonlySet<string> {
  const pinned = conjuncts(filter).map(pinnedProperty);
  return new Set(pinned.filter((name) => name !== undefined));
}
