import {
  allOf,
  type BoundNode,
  constant,
  equals,
  propertyNode,
  type StructuralProperty,
} from "@cadastre/odata";

export const text = (value: string): BoundNode => ({ kind: "Constant", type: "Edm.String", value });

const compare = (left: BoundNode, comparator: "ge" | "lt", value: string): BoundNode => ({
  kind: "Compare",
  type: "Edm.Boolean",
  comparator,
  left,
  right: text(value),
});

/** Whether the value is one of `values`. Of none: false. Null is in no list. */
export function isOneOf(property: StructuralProperty, values: readonly string[]): BoundNode {
  const [first, ...others] = values;
  const operand = propertyNode(property);
  if (first === undefined) return constant(false);
  if (others.length === 0) return equals(operand, text(first));
  return { kind: "Membership", type: "Edm.Boolean", operand, values: values.map(text) };
}

export const isNull = (property: StructuralProperty): BoundNode =>
  equals(propertyNode(property), { kind: "Constant", type: "Null", value: null });

/**
 * Whether the value starts with `digits`: between it and the next text of its length, a range that an index on
 * the property can serve.
 */
export function startsWithDigits(property: StructuralProperty, digits: string): BoundNode {
  const last = digits.charCodeAt(digits.length - 1);
  const next = digits.slice(0, -1) + String.fromCharCode(last + 1);
  const operand = propertyNode(property);
  return allOf(compare(operand, "ge", digits), compare(operand, "lt", next));
}
