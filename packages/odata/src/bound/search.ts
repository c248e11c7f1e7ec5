import { QueryError } from "../errors.ts";
import { isFound, type SearchExpression } from "../functions/search.ts";
import { wordsOf } from "../functions/words.ts";
import type { EntitySet } from "../model/types.ts";
import type { SearchNode } from "../syntax/tree.ts";
import { type BoundNode, type BoundSearchNode, propertyNode } from "./tree.ts";

/**
 * Binds `$search` to the `searchable` properties that the entity set has. A term matches if its words are adjacent,
 * in order, in one of them.
 *
 * @throws {QueryError} `not_supported` if no property is searchable, `invalid_literal` for a term without words.
 * @throws {RangeError} if a searchable property is not a string.
 */
export function bindSearch(
  node: SearchNode,
  { name, type }: EntitySet,
  searchable: readonly string[] = [],
): BoundNode {
  const texts = searchable.flatMap((one) => {
    const property = type.properties.get(one);
    if (property === undefined) return [];
    if (property.type !== "Edm.String" || property.collection) throw new RangeError(`${one} is not a text`);
    return [propertyNode(property)];
  });
  if (texts.length === 0) throw new QueryError("not_supported", node, { feature: `\`$search\` in ${name}` });
  const { expression, negated } = normalForm(node);
  const found: BoundSearchNode = { kind: "Search", type: "Edm.Boolean", texts, expression };
  return negated ? { kind: "Not", type: "Edm.Boolean", operand: found } : found;
}

/** True if the words of `texts` match `expression`. Null has no words. */
export const searchIn = (expression: SearchExpression, texts: readonly unknown[]): boolean =>
  isFound(expression, texts.map((text) => (typeof text === "string" ? wordsOf(text) : "")).join(""));

/**
 * A search expression, possibly negated. `expression` itself never matches a text without words, because an index
 * could not find such rows.
 */
type Signed = { readonly expression: SearchExpression; readonly negated: boolean };

function normalForm(node: SearchNode): Signed {
  switch (node.kind) {
    case "Term":
      return { expression: { kind: "Phrase", words: wordsOfTerm(node) }, negated: false };
    case "SearchNot": {
      const { expression, negated } = normalForm(node.operand);
      return { expression, negated: !negated };
    }
    case "SearchLogical":
      return combined(node.operator, node.operands.map(normalForm));
  }
}

/**
 * Combines operands of which some are negated: `a and not b` becomes `a` without `b`; `a or not b` becomes the
 * negation of `b` without `a`.
 */
function combined(operator: "and" | "or", operands: readonly Signed[]): Signed {
  const isOr = operator === "or";
  const some = (negated: boolean) =>
    operands.filter((operand) => operand.negated === negated).map(({ expression }) => expression);
  const [among, excluded] = [some(isOr), some(!isOr)];
  if (among.length === 0) return { expression: join("Any", excluded), negated: !isOr };
  const all = join("All", among);
  if (excluded.length === 0) return { expression: all, negated: isOr };
  return {
    expression: { kind: "Without", operand: all, excluded: join("Any", excluded) },
    negated: isOr,
  };
}

function join(kind: "All" | "Any", operands: readonly SearchExpression[]): SearchExpression {
  const [only] = operands;
  return only !== undefined && operands.length === 1 ? only : { kind, operands };
}

function wordsOfTerm(node: SearchNode & { kind: "Term" }): string {
  const words = wordsOf(node.value);
  if (words !== "") return words;
  throw new QueryError("invalid_literal", node, {
    text: node.value.slice(0, 64),
    type: "search term",
    reason: "it has no letter or digit",
  });
}
