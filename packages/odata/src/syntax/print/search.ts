import type { SearchNode } from "../tree.ts";
import { textLiteral } from "./literal.ts";

const word = /^[^\s"();'][^\s"();]*$/;
const operators: ReadonlySet<string> = new Set(["AND", "OR", "NOT"]);

function binds(node: SearchNode): number {
  switch (node.kind) {
    case "SearchLogical":
      return node.operator === "or" ? 1 : 2;
    case "SearchNot":
      return 3;
    case "Term":
      // The word `AND` inside an expression would be read as an operator.
      return !node.phrase && operators.has(node.value) ? 0 : 4;
  }
}

function atLeast(level: number, node: SearchNode): string {
  return binds(node) < level ? `(${printSearch(node)})` : printSearch(node);
}

/** Prints `$search` in canonical form, with every `AND` explicit. */
export function printSearch(node: SearchNode): string {
  switch (node.kind) {
    case "Term":
      if (node.phrase) return `"${node.value.replace(/[\\"]/g, (character) => `\\${character}`)}"`;
      return word.test(node.value) ? node.value : textLiteral(node.value);
    case "SearchNot":
      return `NOT ${atLeast(3, node.operand)}`;
    case "SearchLogical": {
      const level = binds(node) + 1;
      return node.operands.map((operand) => atLeast(level, operand)).join(` ${node.operator.toUpperCase()} `);
    }
  }
}
