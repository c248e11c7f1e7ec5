import type { BoundNode } from "./tree.ts";

/** Rebuild `node` with each child replaced by `visit(child)`. Rewriters are built on this alone. */
export function mapChildren(node: BoundNode, visit: (child: BoundNode) => BoundNode): BoundNode {
  switch (node.kind) {
    case "Constant":
    case "Variable":
      return node;
    case "Property":
    case "Structure":
      return node.base === undefined ? node : { ...node, base: visit(node.base) };
    case "Call":
      return { ...node, args: node.args.map(visit) };
    case "Compare":
    case "Arithmetic":
      return { ...node, left: visit(node.left), right: visit(node.right) };
    case "Membership":
      return { ...node, operand: visit(node.operand), values: node.values.map(visit) };
    case "Logical":
      return { ...node, operands: node.operands.map(visit) };
    case "Search":
      return { ...node, texts: node.texts.map(visit) };
    case "Not":
    case "Negate":
    case "Flags":
    case "Cast":
    case "IsOf":
      return { ...node, operand: visit(node.operand) };
    case "Lambda":
    case "Size":
      return {
        ...node,
        collection: visit(node.collection),
        predicate: node.predicate && visit(node.predicate),
      };
    case "Choice": {
      const choice = { ...node, when: visit(node.when), value: visit(node.value) };
      return node.otherwise === undefined ? choice : { ...choice, otherwise: visit(node.otherwise) };
    }
  }
}
