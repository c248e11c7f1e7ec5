import { asciiFolded } from "../functions/ascii-folding.ts";
import type { TextMatch } from "../functions/define.ts";
import { gramsOf } from "../functions/grams.ts";
import type { StructuralProperty } from "../model/types.ts";
import { identifier, join, type SqlFragment, sql } from "../sql/fragment.ts";

/** A text that is searched for in a column. */
export type TextSearch = {
  readonly match: TextMatch;
  /** Binds a value that is computed from the searched text. */
  readonly bind: (by: (text: string) => string) => SqlFragment;
  /** The values that the filter lists of {@link TextIndex.dividedBy}, as SQL. Undefined if it lists none. */
  readonly among: readonly SqlFragment[] | undefined;
};

/**
 * A trigram index on a column of texts, for `contains`, `startswith` and `endswith`, also of `tolower`, `toupper` and `$ignorecase`. Its
 * conditions are prefilters, always combined with the exact condition: they must hold for every row they are meant to find, and should
 * hold for few others. It is used for texts of at least three characters.
 */
export type TextIndex = {
  /** A property by which the index is divided: only the parts of the values that the filter lists are read. */
  readonly dividedBy?: StructuralProperty;
  /** Returns the condition for texts that contain the searched one, whatever the letter case. Undefined if the index cannot be used. */
  readonly find: (search: TextSearch) => SqlFragment | undefined;
};

/** Number of characters of a searched text that an index is asked for. The exact condition compares the others. */
const longestPart = 16;

/** A property that a GIN index begins with, and its column. */
export type TrigramDivision = { readonly property: StructuralProperty; readonly column: SqlFragment };

/** Maximum number of values of a division that are looked up one by one. Planning takes time for each of them. */
const mostDivisions = 16;

/**
 * Returns what a trigram index of PostgreSQL contains of a column: the text in lower case, by built-in functions alone, which takes a
 * tenth of the time of `cadastre_foldcase`. Letters beyond ASCII keep their case; a search leaves them open.
 */
export const trigramText = (column: SqlFragment): SqlFragment =>
  sql`translate(lower(${column} collate "C"), '\u0130\u0131\u017f\u212a', 'iisk')`;

/**
 * A GIN index of PostgreSQL on {@link trigramText} of a column with `gin_trgm_ops` of the extension `pg_trgm`. With a division, its column
 * comes first in the index, by the extension `btree_gin`.
 */
export const trigramIndex = (column: SqlFragment, division?: TrigramDivision): TextIndex => ({
  ...(division === undefined ? {} : { dividedBy: division.property }),
  find: ({ match, bind, among }) => {
    const like = (more = "") =>
      sql`${trigramText(column)} like ${bind((text) => patternOf(text, match, more))}::text`;
    if (division === undefined || among === undefined || among.length > mostDivisions) return like();
    // The planner may leave the values of a list out of the search in a GIN index, but never that of an equality. Redundant wildcards make
    // each pattern another one: otherwise it would move what is equal out of the `or`.
    return sql`(${join(
      among.map((one, i) => sql`${division.column} = ${one} and ${like("%".repeat(i))}`),
      " or ",
    )})`;
  },
});

/** @param more wildcards to add */
function patternOf(text: string, match: TextMatch, more: string): string {
  const characters = asciiFolded(text);
  const part = match === "end" ? characters.slice(-longestPart) : characters.slice(0, longestPart);
  const escaped = part.map((one) => one?.replace(/[\\%_]/, "\\$&") ?? "_").join("");
  const isCut = part.length < characters.length;
  switch (match) {
    case "within":
      return `%${escaped}%${more}`;
    case "start":
      return `${escaped}%${more}`;
    case "end":
      return `${more}%${escaped}`;
    case "whole":
      return `${escaped}${isCut ? "%" : ""}${more}`;
  }
}

/** The property that an FTS5 index of trigrams is divided by. */
export type GramDivision = {
  readonly property: StructuralProperty;
  /** Returns a subquery for the numbers that precede the grams in the index, of a list of values of the property. */
  readonly numbers: (values: SqlFragment) => SqlFragment;
};

/** Maximum number of grams of a searched text that are looked up. */
const mostGrams = 12;

/** In a search expression, the place of the number of a division. */
const numberPlace = "*";

/**
 * An FTS5 table of SQLite with one column, which holds what `gramsOf` returns of a text: `create virtual table … using fts5(grams,
 * content='', contentless_delete=1, detail=none, tokenize='ascii')`. Its `rowid` is `rowid` of the mapped table.
 */
export const fts5GramIndex = (table: string, rowid: SqlFragment, division?: GramDivision): TextIndex => ({
  ...(division === undefined ? {} : { dividedBy: division.property }),
  find: ({ bind, among }) => {
    const [fts, number] = [identifier(table), identifier("number")];
    const found = (match: SqlFragment) =>
      sql`${rowid} in (select rowid from ${fts} where ${fts} match ${match})`;
    if (division === undefined) return found(bind((text) => matchOf(text, "")));
    if (among === undefined) return undefined;
    const expression = sql`'(' || replace(${bind((text) => matchOf(text, numberPlace))}, '*', ${number}) || ')'`;
    const all = sql`select coalesce(group_concat(${expression}, ' OR '), '""')`;
    return found(
      sql`(with divisions(${number}) as (${division.numbers(join(among, ", "))}) ${all} from divisions)`,
    );
  },
});

/** Returns the search expression for rows that have all grams of a text. Of a long text, some grams are enough. */
function matchOf(text: string, number: string): string {
  const grams = gramsOf(text);
  const step = Math.max(1, grams.length / mostGrams);
  const chosen = Array.from(
    { length: Math.min(grams.length, mostGrams) },
    (_, i) => grams[Math.floor(i * step)],
  );
  return chosen.map((gram) => `${number}${gram}`).join(" AND ");
}
