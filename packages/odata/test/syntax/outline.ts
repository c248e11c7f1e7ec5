import { printExpression, type SyntaxNode } from "../../src/syntax/index.ts";

const list = (word: string, parts: readonly string[]): string => `${word}[${parts.join(" ")}]`;

/** Prints a tree on one line, in prefix notation, for tables of expected trees. */
export function outline(node: SyntaxNode): string {
  switch (node.kind) {
    case "Literal":
      return `${node.type}:${node.value}`;
    case "Name":
      return node.name;
    case "Member":
      return list("/", [outline(node.base), node.name]);
    case "Key":
      return list("key", [
        outline(node.base),
        ...node.key.map(({ name, value }) => (name === null ? "" : `${name}=`) + outline(value)),
      ]);
    case "Count":
      return list("count", [outline(node.base), ...(node.filter === null ? [] : [outline(node.filter)])]);
    case "Filter":
      return list("filter", [outline(node.base), outline(node.predicate)]);
    case "Lambda":
      return list(node.operator, [
        outline(node.base),
        ...(node.predicate === null ? [] : [`${node.variable}:`, outline(node.predicate)]),
      ]);
    case "Call":
      return list(`${node.name}()`, node.args.map(outline));
    case "Method":
      return list(`${node.name}()`, [
        ...(node.base === null ? [] : [outline(node.base)]),
        ...node.args.map(({ name, value }) => `${name}=${outline(value)}`),
      ]);
    case "Case":
      return list(
        "case",
        node.branches.map(({ condition, value }) => `${outline(condition)}:${outline(value)}`),
      );
    case "Compare":
      return list(node.comparator, [outline(node.left), outline(node.right)]);
    case "Arithmetic":
      return list(node.operator, [outline(node.left), outline(node.right)]);
    case "In":
    case "Has":
      return list(node.kind.toLowerCase(), [outline(node.operand), outline(node.right)]);
    case "Negate":
      return list("minus", [outline(node.operand)]);
    case "Not":
      return list("not", [outline(node.operand)]);
    case "Logical":
      return list(node.operator, node.operands.map(outline));
    case "List":
      return list("list", node.items.map(outline));
    case "Array":
      return list("array", node.items.map(outline));
    case "Object":
      return list(
        "object",
        node.members.map(({ name, value }) => `${name}:${outline(value)}`),
      );
    case "Enum":
    case "Geo":
    case "Alias":
    case "Annotation":
    case "Aggregation":
    case "Type":
    case "Root":
      return `${node.kind}:${printExpression(node)}`;
  }
}
