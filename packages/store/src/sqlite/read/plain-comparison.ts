import type { BoundNode } from "@cadastre/odata";

/** True if the node only compares columns and constants. */
export function isPlainComparison(node: BoundNode): boolean {
  switch (node.kind) {
    case "Constant":
    case "Property":
      return true;
    case "Compare":
      return isPlainComparison(node.left) && isPlainComparison(node.right);
    case "Membership":
      return isPlainComparison(node.operand) && node.values.every(isPlainComparison);
    case "Logical":
      return node.operands.every(isPlainComparison);
    case "Not":
      return isPlainComparison(node.operand);
    default:
      return false;
  }
}
