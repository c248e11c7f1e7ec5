import type { BoundNode, StructuralProperty } from "@cadastre/odata";
import { allOf, constant, equals, isAmong, propertyNode, textConstant } from "@cadastre/odata/tree";

const compare = (left: BoundNode, comparator: "ge" | "lt", value: string): BoundNode => ({
  kind: "Compare",
  type: "Edm.Boolean",
  comparator,
  left,
  right: textConstant(value),
});

/** Returns the predicate that the property is one of `values`. It is false for an empty list, and for null. */
export function isOneOf(property: StructuralProperty, values: readonly string[]): BoundNode {
  const [first, ...others] = values;
  const operand = propertyNode(property);
  if (first === undefined) return constant(false);
  if (others.length === 0) return equals(operand, textConstant(first));
  return isAmong(operand, values.map(textConstant));
}

export const isNull = (property: StructuralProperty): BoundNode =>
  equals(propertyNode(property), { kind: "Constant", type: "Null", value: null });

/**
 * Returns the predicate that the property starts with `digits`. It is a range, from `digits` to the next text of that length, so
 * that an index on the property can serve it.
 */
export function startsWithDigits(property: StructuralProperty, digits: string): BoundNode {
  const last = digits.charCodeAt(digits.length - 1);
  const next = digits.slice(0, -1) + String.fromCharCode(last + 1);
  const operand = propertyNode(property);
  return allOf(compare(operand, "ge", digits), compare(operand, "lt", next));
}
