import type { BoundNode, BoundQuery } from "@cadastre/odata";

/** Whether the query can match one record at the most, which the key's index finds. */
export function pinsKey({ entitySet, filter }: BoundQuery): boolean {
  const pinned = new Set(conjuncts(filter).flatMap(pinnedProperty));
  return entitySet.type.key.every((name) => pinned.has(name));
}

const conjuncts = (node: BoundNode): readonly BoundNode[] =>
  node.kind === "Logical" && node.operator === "and" ? node.operands.flatMap(conjuncts) : [node];

function pinnedProperty(node: BoundNode): readonly string[] {
  if (node.kind !== "Compare" || node.comparator !== "eq") return [];
  const [property, other] = node.left.kind === "Property" ? [node.left, node.right] : [node.right, node.left];
  return property.kind === "Property" && property.base === undefined && other.kind === "Constant"
    ? [property.property.name]
    : [];
}
