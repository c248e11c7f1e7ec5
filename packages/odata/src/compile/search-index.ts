import type { SearchExpression } from "../bound/tree.ts";
import { identifier, join, type SqlFragment, sql, value } from "../sql/fragment.ts";

/** An index over the words of some properties, for `$search`. */
export type SearchIndex = {
  /** Names of the properties whose words it holds. */
  readonly properties: readonly string[];
  /** Whether {@link SearchIndex.find} finds, in these properties, neither more nor less than the expression. */
  readonly isExact: (expression: SearchExpression, names: readonly string[]) => boolean;
  /**
   * The condition, never null, that an expression is found in these properties. Where that is not exact, it holds for
   * more rows, of an expression without `Without`. Undefined where the index cannot serve.
   */
  readonly find: (expression: SearchExpression, names: readonly string[]) => SqlFragment | undefined;
};

/**
 * An FTS5 table of SQLite with the tokenizer `ascii` and, for each property, a column of the text that `wordsOf` gives.
 * `rowid` is the rowid of the row that is searched for; `columns` has the column of each property.
 */
export const fts5Index = (
  table: string,
  rowid: SqlFragment,
  columns: Readonly<Record<string, string>>,
): SearchIndex => ({
  properties: Object.keys(columns),
  isExact: () => true,
  find: (expression, names) => {
    if (depth(expression) > deepestMatch) return undefined;
    const filter = names.map((name) => quoted(columns[name] ?? name)).join(" ");
    const match = value(`{${filter}} : (${matchOf(expression)})`);
    return sql`${rowid} in (select rowid from ${identifier(table)} where ${identifier(table)} match ${match})`;
  },
});

/** FTS5 has a stack of a hundred places for what is nested. */
const deepestMatch = 12;

const depth = (expression: SearchExpression): number =>
  expression.kind === "Phrase" ? 0 : 1 + Math.max(...operandsOf(expression).map(depth));

const operandsOf = (
  expression: Exclude<SearchExpression, { kind: "Phrase" }>,
): readonly SearchExpression[] =>
  expression.kind === "Without" ? [expression.operand, expression.excluded] : expression.operands;

const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;

const matchWords = { All: " AND ", Any: " OR ", Without: " NOT " } as const;

/** Source: SQLite FTS5 Extension, section 3. */
const matchOf = (expression: SearchExpression): string =>
  expression.kind === "Phrase"
    ? quoted(expression.words.trim())
    : `(${operandsOf(expression).map(matchOf).join(matchWords[expression.kind])})`;

/**
 * A GIN index of PostgreSQL over `words`: a column of type `text[]`, never null, that is `cadastre_search_words` of the
 * properties. Not a `tsvector`, which keeps neither every place of a word nor more than a megabyte: a phrase is looked up
 * in the texts themselves, once its words are found.
 */
export const wordsIndex = (words: SqlFragment, properties: readonly string[]): SearchIndex => ({
  properties,
  isExact: (expression, names) =>
    properties.every((name) => names.includes(name)) && !hasPhraseOfWords(expression),
  find: (expression) => heldBy(words, expression),
});

const hasPhraseOfWords = (expression: SearchExpression): boolean =>
  expression.kind === "Phrase"
    ? expression.words.trim().includes(" ")
    : operandsOf(expression).some(hasPhraseOfWords);

function heldBy(words: SqlFragment, expression: SearchExpression): SqlFragment {
  if (expression.kind === "Phrase") {
    return sql`${words} @> string_to_array(${value(expression.words.trim())}::text, ' ')`;
  }
  const operands = operandsOf(expression).map((operand) => heldBy(words, operand));
  if (expression.kind === "Without") return sql`(${join(operands, " and not ")})`;
  return sql`(${join(operands, expression.kind === "All" ? " and " : " or ")})`;
}
