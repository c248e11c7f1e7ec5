import { allOf, anyOf, type BoundNode, constant } from "../bound/tree.ts";

/**
 * Rewrites a condition in which false and null mean the same, and moves `Choice` nodes without an alternative out
 * of it: `(case when C then X end) = 1` is true exactly if `C and X = 1` is. An index can serve `X`, but not the
 * `case` around it.
 */
export function unwrapMasks(node: BoundNode): BoundNode {
  switch (node.kind) {
    case "Membership": {
      const { operand, values } = node;
      return isChoice(operand) && values.every(isNonNullConstant)
        ? guarded(operand, { ...node, operand: operand.value })
        : node;
    }
    case "Compare": {
      const { left, right, comparator } = node;
      return comparator === "eq" && isChoice(left) && isNonNullConstant(right)
        ? guarded(left, { ...node, left: left.value })
        : node;
    }
    case "Logical": {
      if (node.operator !== "or") return node;
      const operands = node.operands.map(unwrapMasks);
      const isSame = operands.every((operand, i) => operand === node.operands[i]);
      return isSame ? node : anyOf(...operands.filter((operand) => !isConstantFalse(operand)));
    }
    default:
      return node;
  }
}

type ChoiceNode = BoundNode & { readonly kind: "Choice" };

const isChoice = (node: BoundNode): node is ChoiceNode =>
  node.kind === "Choice" && node.otherwise === undefined;

const isNonNullConstant = (node: BoundNode): boolean => node.kind === "Constant" && node.value !== null;

const isConstantFalse = (node: BoundNode): boolean => node.kind === "Constant" && node.value === false;

const guarded = ({ when }: ChoiceNode, condition: BoundNode): BoundNode =>
  isConstantFalse(when) ? constant(false) : allOf(when, condition);
