import type { SyntaxNode } from "./tree.ts";

const values = (args: readonly { readonly value: SyntaxNode }[]): readonly SyntaxNode[] =>
  args.map(({ value }) => value);

/** Returns the child expressions of `node`, in text order. */
export function children(node: SyntaxNode): readonly SyntaxNode[] {
  switch (node.kind) {
    case "Literal":
    case "Enum":
    case "Geo":
    case "Name":
    case "Alias":
    case "Type":
    case "Root":
      return [];
    case "Annotation":
      return node.base === null ? [] : [node.base];
    case "Member":
      return [node.base];
    case "Key":
      return [node.base, ...values(node.key)];
    case "Count":
      return node.filter === null ? [node.base] : [node.base, node.filter];
    case "Filter":
      return [node.base, node.predicate];
    case "Aggregation":
      return [node.base, node.item.expression, ...node.item.from.flatMap(({ groupings }) => groupings)];
    case "Lambda":
      return node.predicate === null ? [node.base] : [node.base, node.predicate];
    case "Call":
      return node.args;
    case "Method":
      return node.base === null ? values(node.args) : [node.base, ...values(node.args)];
    case "Case":
      return node.branches.flatMap(({ condition, value }) => [condition, value]);
    case "Compare":
    case "Arithmetic":
      return [node.left, node.right];
    case "In":
    case "Has":
      return [node.operand, node.right];
    case "Negate":
    case "Not":
      return [node.operand];
    case "Logical":
      return node.operands;
    case "List":
    case "Array":
      return node.items;
    case "Object":
      return values(node.members);
  }
}
