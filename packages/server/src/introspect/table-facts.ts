import type { DatabaseRow, RunQuery } from "../database.ts";

/** A column as a database describes it. */
export type ColumnFacts = {
  readonly name: string;
  /** Declared type in lower case, without its arguments: `varchar` of `VARCHAR(20)`; of a domain, the type under it. */
  readonly type: string;
  /** Arguments of the declared type: `[14, 2]` of `numeric(14,2)`. */
  readonly facets: readonly number[];
  /** True for a type of PostgreSQL that is a list of words. */
  readonly isEnum?: boolean;
  readonly nullable: boolean;
  /**
   * The first values of the column that are not null, the first characters of texts. Undefined if they were not read: columns of PostgreSQL
   * hold what their type says.
   */
  readonly examples?: readonly unknown[];
};

/** Columns of a table that equal the key of another one. */
type ForeignKey = {
  readonly table: string;
  /** Own column → column of the other table. */
  readonly on: Readonly<Record<string, string>>;
};

/** A column of an index, and how it is sorted. */
export type IndexColumn = {
  /** Undefined for an expression. */
  readonly column: string | undefined;
  readonly descending: boolean;
  readonly nullsFirst: boolean;
  /** True if text is sorted by code point, as queries sort it. In SQLite always true: that of the column applies. */
  readonly byCodePoint: boolean;
};

/** A table or view as a database describes it. */
export type TableFacts = {
  readonly name: string;
  readonly kind: TableKind;
  readonly columns: readonly ColumnFacts[];
  /** Names of the columns of the primary key, in order. Empty if it has none. */
  readonly key: readonly string[];
  readonly foreignKeys: readonly ForeignKey[];
  /** Indexes of all rows that hold an order, that of the primary key among them. */
  readonly indexes: readonly (readonly IndexColumn[])[];
};

/** Views have no keys and indexes of their own, and do not tell which columns may be null. */
type TableKind = "table" | "view";

/** Name of a table or view, as queries find it. */
export type TableName = {
  readonly name: string;
  readonly kind: TableKind;
  /** True for a partition of another table, and for what an extension of the database has made. */
  readonly isAuxiliary: boolean;
};

/** The catalog of a database. */
export type DatabaseCatalog = {
  /** Returns the tables and views that a query finds by their name alone. */
  readonly names: (run: RunQuery) => Promise<readonly TableName[]>;
  /**
   * Returns the facts of some of them, in the order given. A view that is not valid has no columns.
   *
   * @param readsExamples true to read values of columns that may hold other ones than their type says
   */
  readonly facts: (
    run: RunQuery,
    tables: readonly TableName[],
    readsExamples: boolean,
  ) => Promise<readonly TableFacts[]>;
};

/** Splits a declared type: `VARCHAR(20)` → `varchar`, `[20]`; `time(3) with time zone` → `time with time zone`, `[3]`. */
export function splitType(declared: string): Pick<ColumnFacts, "type" | "facets"> {
  const [, facets] = /\(([\d, ]*)\)/.exec(declared) ?? [];
  const type = declared
    .toLowerCase()
    .replace(/\([^)]*\)/, "")
    .trim();
  return { type, facets: facets === undefined || facets === "" ? [] : facets.split(",").map(Number) };
}

/** Names of the columns of the primary key, by their position in it. */
export const keyOfRows = (columns: readonly DatabaseRow[]): readonly string[] =>
  columns
    .filter(({ pk }) => Number(pk) > 0)
    .toSorted((a, b) => Number(a["pk"]) - Number(b["pk"]))
    .map(({ name }) => String(name));

/** Returns neighbouring rows with the same value of a column as a group. */
export function grouped(rows: readonly DatabaseRow[], by: string): readonly (readonly DatabaseRow[])[] {
  const groups = new Map<unknown, DatabaseRow[]>();
  for (const row of rows) {
    const group = groups.get(row[by]) ?? [];
    groups.set(row[by], group);
    group.push(row);
  }
  return [...groups.values()];
}

/** Returns the foreign keys of rows with a pair of columns each. */
export const foreignKeysOf = (links: readonly DatabaseRow[]): readonly ForeignKey[] =>
  grouped(links, "id").map((pairs) => ({
    table: String(pairs[0]?.["to_table"] ?? pairs[0]?.["table"]),
    on: Object.fromEntries(pairs.map(({ from, to }) => [String(from), String(to)])),
  }));
