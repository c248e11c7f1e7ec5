import { allOf, anyOf, type BoundNode, constant } from "../bound/tree.ts";

/**
 * A condition where false and null are alike, without choices of a value or nothing: such a value equals a constant exactly
 * if it is chosen and equals it. So an index serves the value, as it could not serve the choice.
 */
export function withoutChoices(node: BoundNode): BoundNode {
  switch (node.kind) {
    case "Membership": {
      const { operand, values } = node;
      return isChoice(operand) && values.every(isPresent)
        ? chosen(operand, { ...node, operand: operand.value })
        : node;
    }
    case "Compare": {
      const { left, right, comparator } = node;
      return comparator === "eq" && isChoice(left) && isPresent(right)
        ? chosen(left, { ...node, left: left.value })
        : node;
    }
    case "Logical": {
      if (node.operator !== "or") return node;
      const operands = node.operands.map(withoutChoices);
      const isSame = operands.every((operand, i) => operand === node.operands[i]);
      return isSame ? node : anyOf(...operands.filter((operand) => !isFalse(operand)));
    }
    default:
      return node;
  }
}

type ChoiceNode = BoundNode & { readonly kind: "Choice" };

const isChoice = (node: BoundNode): node is ChoiceNode =>
  node.kind === "Choice" && node.otherwise === undefined;

const isPresent = (node: BoundNode): boolean => node.kind === "Constant" && node.value !== null;

const isFalse = (node: BoundNode): boolean => node.kind === "Constant" && node.value === false;

const chosen = ({ when }: ChoiceNode, condition: BoundNode): BoundNode =>
  isFalse(when) ? constant(false) : allOf(when, condition);
