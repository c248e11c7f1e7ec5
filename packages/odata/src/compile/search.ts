import type { BoundNode, BoundSearchNode, SearchExpression } from "../bound/tree.ts";
import { join, type SqlFragment, sql } from "../sql/fragment.ts";
import type { CompileContext } from "./compile-context.ts";
import { compileOperand } from "./expression.ts";
import { toComputedOperand } from "./operand.ts";

/**
 * Compiles `$search`. If the mapping has an index over all of these properties, it finds the rows; where it is not
 * exact, it only narrows them, and the texts are searched as well. Without an index, the words of the texts are
 * searched with the SQL function `search`.
 */
export function compileSearch(node: BoundSearchNode, target: CompileContext): SqlFragment {
  const { search: index } = target.place.members;
  const names = node.texts.map(nameOf);
  const among = names.flatMap((name) => (name !== undefined && index?.properties.includes(name) ? name : []));
  if (index === undefined || among.length < names.length) return searchTexts(node, target);
  const isExact =
    node.texts.every(({ kind }) => kind === "Property") && index.isExact(node.expression, among);
  const found = index.find(isExact ? node.expression : withoutExclusions(node.expression), among);
  if (isExact && found !== undefined) return found;
  const exact = searchTexts(node, target);
  return found === undefined ? exact : sql`(${found} and ${exact})`;
}

/** Returns the name of the property that the node reads, masked or not; undefined for other nodes. */
function nameOf(node: BoundNode): string | undefined {
  if (node.kind === "Choice" && node.otherwise === undefined) return nameOf(node.value);
  return node.kind === "Property" && node.base === undefined ? node.property.name : undefined;
}

/**
 * Returns an expression that matches wherever `expression` does, and that still matches if the searched text gets
 * longer.
 */
function withoutExclusions(expression: SearchExpression): SearchExpression {
  switch (expression.kind) {
    case "Phrase":
      return expression;
    case "All":
    case "Any":
      return { kind: expression.kind, operands: expression.operands.map(withoutExclusions) };
    case "Without":
      return withoutExclusions(expression.operand);
  }
}

/** Searches the texts themselves. Never null: null has no words. */
function searchTexts({ texts, expression }: BoundSearchNode, target: CompileContext): SqlFragment {
  const { dialect } = target;
  const words = texts.map((text) => {
    const { sql: computed } = toComputedOperand(compileOperand(text, target), target);
    return sql`coalesce(${dialect.call("words", ["Edm.String"], [computed])}, '')`;
  });
  const wanted = dialect.operand(JSON.stringify(expression), "Edm.String", "plain");
  return dialect.call("search", ["Edm.String", "Edm.String"], [sql`(${join(words, " || ")})`, wanted]);
}
