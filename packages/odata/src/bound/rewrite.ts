import type { BoundNode } from "./tree.ts";

type Visit = (child: BoundNode) => BoundNode;

/**
 * Rebuilds `node` with each child replaced by `visit(child)`; returns `node` itself if no child changed. All tree
 * rewriters are built on this function.
 */
export function mapChildren(node: BoundNode, visit: Visit): BoundNode {
  switch (node.kind) {
    case "Constant":
    case "Variable":
      return node;
    case "Property":
    case "Structure": {
      if (node.base === undefined) return node;
      const base = visit(node.base);
      return base === node.base ? node : { ...node, base };
    }
    case "Call": {
      const args = mapAll(node.args, visit);
      return args === node.args ? node : { ...node, args };
    }
    case "Compare":
    case "Arithmetic": {
      const left = visit(node.left);
      const right = visit(node.right);
      return left === node.left && right === node.right ? node : { ...node, left, right };
    }
    case "Membership": {
      const operand = visit(node.operand);
      const values = mapAll(node.values, visit);
      return operand === node.operand && values === node.values ? node : { ...node, operand, values };
    }
    case "Logical": {
      const operands = mapAll(node.operands, visit);
      return operands === node.operands ? node : { ...node, operands };
    }
    case "Search": {
      const texts = mapAll(node.texts, visit);
      return texts === node.texts ? node : { ...node, texts };
    }
    case "Not":
    case "Negate":
    case "Flags":
    case "Cast":
    case "IsOf": {
      const operand = visit(node.operand);
      return operand === node.operand ? node : { ...node, operand };
    }
    case "Lambda":
    case "Size": {
      const collection = visit(node.collection);
      const predicate = node.predicate && visit(node.predicate);
      return collection === node.collection && predicate === node.predicate
        ? node
        : { ...node, collection, predicate };
    }
    case "Choice": {
      const when = visit(node.when);
      const value = visit(node.value);
      const otherwise = node.otherwise && visit(node.otherwise);
      if (when === node.when && value === node.value && otherwise === node.otherwise) return node;
      return otherwise === undefined ? { ...node, when, value } : { ...node, when, value, otherwise };
    }
  }
}

/** Maps an array; returns the array itself if no item changed. */
function mapAll(nodes: readonly BoundNode[], visit: Visit): readonly BoundNode[] {
  let mapped: BoundNode[] | undefined;
  for (let i = 0; i < nodes.length; i += 1) {
    const node = nodes[i] as BoundNode;
    const image = visit(node);
    if (mapped !== undefined) mapped.push(image);
    else if (image !== node) mapped = [...nodes.slice(0, i), image];
  }
  return mapped ?? nodes;
}
