import type { SearchExpression } from "../bound/tree.ts";
import { identifier, join, type SqlFragment, sql, value } from "../sql/fragment.ts";

/** A full-text index over the words of some properties, for `$search`. */
export type SearchIndex = {
  /** Names of the indexed properties. */
  readonly properties: readonly string[];
  /** True if {@link SearchIndex.find} finds exactly the rows that match the expression in these properties. */
  readonly isExact: (expression: SearchExpression, names: readonly string[]) => boolean;
  /**
   * Returns the condition, never null, that an expression matches in these properties. If it is not exact,
   * `expression` contains no `Without`, and the condition may also hold for rows that do not match. Undefined if
   * the index cannot be used.
   */
  readonly find: (expression: SearchExpression, names: readonly string[]) => SqlFragment | undefined;
};

/**
 * An FTS5 table of SQLite with the tokenizer `ascii` and one column per property, which holds the text that
 * `wordsOf` returns. `rowid` is the rowid of the searched row; `columns` maps properties to columns.
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

/** Maximum depth of an expression. The parser of FTS5 has a stack of 100 entries. */
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
 * A GIN index of PostgreSQL on `words`: a column of type `text[]`, never null, that is `cadastre_search_words` of
 * the properties. A `tsvector` would not do: it does not keep every position of a word, nor more than a megabyte.
 * Phrases are searched for in the texts themselves, among the rows that contain their words.
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
