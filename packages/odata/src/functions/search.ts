import { sql } from "../sql/fragment.ts";
import { defineFunction, type FunctionEntry } from "./define.ts";
import { wordsOf } from "./words.ts";

/** A search expression over words. It never matches a text without words: `Without` only removes matches. */
export type SearchExpression =
  /** Adjacent words, as `wordsOf` writes them. */
  | { readonly kind: "Phrase"; readonly words: string }
  | { readonly kind: "All" | "Any"; readonly operands: readonly SearchExpression[] }
  | { readonly kind: "Without"; readonly operand: SearchExpression; readonly excluded: SearchExpression };

/**
 * True if `expression` matches words as `wordsOf` writes them. The words of several texts are concatenated; a
 * phrase cannot match across texts, because two spaces separate them.
 */
export function isFound(expression: SearchExpression, words: string): boolean {
  switch (expression.kind) {
    case "Phrase":
      return words.includes(expression.words);
    case "All":
      return expression.operands.every((operand) => isFound(operand, words));
    case "Any":
      return expression.operands.some((operand) => isFound(operand, words));
    case "Without":
      return isFound(expression.operand, words) && !isFound(expression.excluded, words);
  }
}

/** Returns the words of a text. */
export const words: FunctionEntry = defineFunction({
  name: "words",
  source: "OData 4.01 Protocol 11.2.6.6, which leaves to the service what matches",
  params: ["Edm.String"],
  returns: "Edm.String",
  postgres: ([text]) => sql`cadastre_words(${text})`,
  evaluate: ([text]) => wordsOf(text),
  examples: [],
});

/** Matches a search expression, as JSON, against words. */
export const search: FunctionEntry = defineFunction({
  name: "search",
  source: "OData 4.01 Protocol 11.2.6.6",
  params: ["Edm.String", "Edm.String"],
  returns: "Edm.Boolean",
  postgres: ([among, expression]) => sql`cadastre_search(${among}, ${expression})`,
  evaluate: ([among, expression]) => isFound(JSON.parse(expression) as SearchExpression, among),
  examples: [],
});
