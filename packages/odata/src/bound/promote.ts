import type { ValueType } from "../model/types.ts";
import type { BoundNode } from "./tree.ts";
import { isStructure } from "./typing.ts";

/** The node as a value of `type`, which it fits. */
export function promote(node: BoundNode, type: ValueType | "Null"): BoundNode {
  if (node.type === type || node.type === "Null" || isStructure(node.type) || type === "Null") return node;
  return { kind: "Cast", type, operand: node };
}
