import { allOf, type BoundNode, conjuncts, equals, propertyNode } from "../bound/tree.ts";
import type { StructuralProperty } from "../model/types.ts";

/** Longest list of values that a page is merged from. Databases limit the terms of a union and the parameters of a statement. */
const mostValues = 64;

/**
 * Splits a filter by the values of a property that it lists: returns the filter once for each value, so that each matching row matches
 * exactly one of the results. The list must contain no value twice.
 */
export function dividedFilters(
  filter: BoundNode,
  property: StructuralProperty | undefined,
): readonly BoundNode[] {
  if (property === undefined) return [filter];
  const conditions = conjuncts(filter);
  const listed = conditions.find((condition) => isListOf(condition, property));
  if (listed?.kind !== "Membership" || listed.values.length > mostValues) return [filter];
  return listed.values.map((value) =>
    allOf(...conditions.map((one) => (one === listed ? equals(propertyNode(property), value) : one))),
  );
}

const isListOf = (condition: BoundNode, { name }: StructuralProperty): boolean =>
  condition.kind === "Membership" &&
  condition.operand.kind === "Property" &&
  condition.operand.base === undefined &&
  condition.operand.property.name === name &&
  condition.values.every((value) => value.kind === "Constant" && value.value !== null);
