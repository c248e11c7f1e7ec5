import type { BoundNode } from "@cadastre/odata";

/** True if the node only compares columns and constants. */
export function isCheap(node: BoundNode): boolean {
  switch (node.kind) {
    case "Constant":
    case "Property":
      return true;
    case "Compare":
      return isCheap(node.left) && isCheap(node.right);
    case "Membership":
      return isCheap(node.operand) && node.values.every(isCheap);
    case "Logical":
      return node.operands.every(isCheap);
    case "Not":
      return isCheap(node.operand);
    default:
      return false;
  }
}
