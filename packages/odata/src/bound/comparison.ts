import { QueryError } from "../errors.ts";
import { sameItems } from "../functions/collection.ts";
import type { EnumType } from "../model/types.ts";
import type { CompareNode, Span } from "../syntax/tree.ts";
import { bindPair } from "./beside.ts";
import type { Context } from "./context.ts";
import { enumTypeOf, underlyingNumber } from "./enumeration.ts";
import { hintDetails, literalHint } from "./hints.ts";
import { callAmong } from "./overload.ts";
import { type BoundNode, type BoundType, constant, equals } from "./tree.ts";
import { foldAmong, isComparable, itemType, typeName } from "./typing.ts";

export function bindCompare(node: CompareNode, context: Context): BoundNode {
  const [left, right] = bindPair(node.left, node.right, context);
  const { comparator } = node;
  const ordered = comparator !== "eq" && comparator !== "ne";
  const same = ordered ? undefined : sameCollections(left, right);
  if (same !== undefined)
    return comparator === "eq" ? same : { kind: "Not", type: "Edm.Boolean", operand: same };
  if (!isComparable(left.type, right.type, ordered)) {
    const hint = literalHint(node.right, left.type, context) ?? literalHint(node.left, right.type, context);
    throw mismatch(node, comparator, left.type, right.type, hint);
  }
  const types = [enumTypeOf(left), enumTypeOf(right)].filter((type) => type !== undefined);
  const [enumType, other = enumType] = types;
  if (enumType?.name !== other?.name)
    throw new QueryError("type_mismatch", node, {
      operator: comparator,
      actual: types.map(({ name }) => name).join(" and "),
    });
  const compared = ordered && enumType !== undefined ? inOrderOf(enumType, left, right) : [left, right];
  const fold = foldAmong(ordered ? [] : [left, right], context);
  const [first = left, second = right] = compared.map(fold);
  return { kind: "Compare", type: "Edm.Boolean", comparator, left: first, right: second };
}

/**
 * Builds the condition that two collections have equal items in the same order; undefined if an operand is no
 * collection of primitive values. It is never null.
 */
function sameCollections(left: BoundNode, right: BoundNode): BoundNode | undefined {
  if (itemType(left.type) === undefined || itemType(right.type) === undefined) return undefined;
  const call = callAmong(sameItems, [left, right]);
  return call && equals(call, constant(true));
}

/** Returns the underlying numbers of operands that are values of one enumeration; others are compared as texts. */
function inOrderOf(type: EnumType, ...operands: readonly BoundNode[]): readonly BoundNode[] {
  const isValue = (node: BoundNode) => node.kind === "Constant" || enumTypeOf(node) !== undefined;
  return operands.every(isValue) ? operands.map((operand) => underlyingNumber(operand, type)) : operands;
}

/** Returns the error for operands that an operator does not take. @param hint what to write instead, if that is known */
export const mismatch = (span: Span, operator: string, left: BoundType, right: BoundType, hint?: string) =>
  new QueryError("type_mismatch", span, {
    operator,
    actual: `${typeName(left)} and ${typeName(right)}`,
    ...hintDetails(hint),
  });
