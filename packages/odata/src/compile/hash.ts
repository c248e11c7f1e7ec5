import type { BoundNode, BoundQuery } from "../bound/tree.ts";

/** Maximum number of nodes that are hashed: enough to tell most queries apart. */
const budget = 48;

const mixed = (hash: number, part: number): number => (Math.imul(hash, 31) + part) | 0;

/** Hashes a name by its length and four of its letters. */
function textHash(text: string, seed: number): number {
  const { length } = text;
  let hash = mixed(seed, length);
  for (let i = 1; i <= 4; i += 1) hash = mixed(hash, text.charCodeAt(((length - 1) * i) >> 2));
  return hash;
}

/**
 * Hashes the shape of a filter and an order. The hash is equal for queries of the same shape, and rarely equal for
 * others.
 */
export function hashOf({ filter, orderBy }: BoundQuery): number {
  let left = budget;
  let hash = orderBy.length;
  const visit = (node: BoundNode): void => {
    if (left <= 0) return;
    left -= 1;
    hash = mixed(hash, node.kind.length * 31 + node.kind.charCodeAt(0));
    switch (node.kind) {
      case "Property":
      case "Structure":
        hash = textHash(node.property.name, hash);
        if (node.base !== undefined) visit(node.base);
        return;
      case "Call":
        hash = textHash(node.entry.name, hash);
        for (const arg of node.args) visit(arg);
        return;
      case "Compare":
        hash = textHash(node.comparator, hash);
        visit(node.left);
        visit(node.right);
        return;
      case "Membership":
        hash = mixed(hash, node.values.length);
        visit(node.operand);
        return;
      case "Logical":
        hash = mixed(hash, node.operands.length);
        // From the last operand: the conditions that an access scope adds come first, and are the same in many
        // queries.
        for (let i = node.operands.length - 1; i >= 0; i -= 1) visit(node.operands[i] as BoundNode);
        return;
      case "Not":
        visit(node.operand);
        return;
      case "Lambda":
      case "Size":
        visit(node.collection);
        if (node.predicate !== null) visit(node.predicate);
        return;
      default:
        return;
    }
  };
  visit(filter);
  for (const { expression, direction } of orderBy) {
    hash = mixed(hash, direction.length);
    visit(expression);
  }
  return hash;
}
