import type { ValueType } from "../model/types.ts";
import type { BoundNode } from "./tree.ts";
import { isStructure } from "./typing.ts";

/** Promotes a node to `type`, which its own type must fit. */
export function promote(node: BoundNode, type: ValueType | "Null"): BoundNode {
  if (node.type === type || node.type === "Null" || isStructure(node.type) || type === "Null") return node;
  return { kind: "Cast", type, operand: node };
}
