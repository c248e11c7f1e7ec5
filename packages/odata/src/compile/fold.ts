import Big from "big.js";
import { mapChildren } from "../bound/rewrite.ts";
import type { BoundNode, ConstantNode } from "../bound/tree.ts";
import { evaluate } from "../evaluate/evaluate.ts";

/**
 * Constant folding: replaces every call and operation on constants by its value. `now() sub duration'P1D'` becomes
 * a single instant, which an index can serve. Folding also applies the UTC offset of a literal, which no column
 * keeps.
 */
export function fold(node: BoundNode): BoundNode {
  if (node.kind === "Constant" && node.type !== "Null") return node;
  const folded = mapChildren(node, fold);
  if (folded.type === "Null") return { kind: "Constant", type: "Null", value: null };
  switch (folded.kind) {
    case "Call":
      return folded.args.every(isConstant) || folded.args.some(isNull)
        ? constantOf(folded, folded.type)
        : folded;
    case "Arithmetic":
      return isConstant(folded.left) && isConstant(folded.right) && isQuick(folded.left, folded.right)
        ? constantOf(folded, folded.type)
        : folded;
    case "Compare":
      return isConstant(folded.left) && isConstant(folded.right) ? constantOf(folded, folded.type) : folded;
    case "Membership":
      return isConstant(folded.operand) && folded.values.every(isConstant)
        ? constantOf(folded, folded.type)
        : folded;
    case "Negate":
    case "Cast":
      return isConstant(folded.operand) ? constantOf(folded, folded.type) : folded;
    default:
      return folded;
  }
}

/**
 * Maximum cost of arithmetic folded here, as the product of the numbers of digits: enough for two numbers of 30
 * digits. A chain of products of long numbers would take seconds; the database computes those within its time
 * limit.
 */
const maxFoldingCost = 1000;

const isQuick = (left: ConstantNode, right: ConstantNode): boolean =>
  digitsOf(left.value) * digitsOf(right.value) <= maxFoldingCost;

function digitsOf(value: unknown): number {
  if (value instanceof Big) return value.c.length;
  return typeof value === "bigint" ? value.toString().length : 1;
}

/** True for the constant null: a call with a null argument is null, whatever its other arguments. */
const isNull = (node: BoundNode): boolean => node.kind === "Constant" && node.value === null;

const isConstant = (node: BoundNode): node is ConstantNode => node.kind === "Constant";

const constantOf = (node: BoundNode, type: (BoundNode & { kind: "Constant" })["type"]): BoundNode => ({
  kind: "Constant",
  type,
  value: evaluate(node, {}),
});
