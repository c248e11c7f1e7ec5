import { randomBytes } from "node:crypto";
import type { ColumnKind, Columns } from "../content/columns.ts";
import { isText, type PartFile } from "../content/read-part.ts";
import { ClientError } from "../errors.ts";
import type { Relation } from "./relation.ts";

/** A value of a statement, and of an answer. */
type SqlValue = string | number | null;
type SqlRow = Readonly<Record<string, unknown>>;

/** The names of a copy's tables. */
export type TableNames = {
  /** Prefix of each name in the database. */
  readonly prefix: string;
  /** Returns a table's name as SQL. `name` is without the prefix. */
  readonly of: (name: string) => string;
};

/** @param qualifier SQL before each name, such as `"schema".` */
export const tableNames = (prefix = "", qualifier = ""): TableNames => ({
  prefix,
  of: (name) => `${qualifier}${quoted(prefix + name)}`,
});

/** A table, by its name without the prefix, and the columns that a load fills. */
export type Table = { readonly name: string; readonly keyField: string; readonly columns: Columns };

/** One connection to a database. In statements `?` outside of a quoted name stands for a value. */
export type SqlSession = {
  readonly names: TableNames;
  /** True if a load replaces whole tables, so a user cannot create one with column types of his own. */
  readonly replacesTables: boolean;
  /** The options that place the tables elsewhere, for a message. */
  readonly placeOptions: string;
  readonly run: (statement: string, values?: readonly SqlValue[]) => Promise<readonly SqlRow[]>;
  /** Begin a transaction, once no other load has one. */
  readonly begin: () => Promise<void>;
  /** Looks up an object of the database by the name of a table, whoever created it. */
  readonly relation: (name: string) => Promise<Relation | undefined>;
  /**
   * Writes a mark to a table, by which a later load recognises it. The mark goes with the table when it is renamed, and is dropped with it;
   * a dump keeps it.
   *
   * @returns the table's marks, separated by spaces: each identifies it; undefined if the user may not alter the table
   */
  readonly mark: (table: Pick<Table, "name" | "keyField">) => Promise<string | undefined>;
  /** Locks existing tables against other writers until the transaction ends. */
  readonly lock: (tables: readonly string[]) => Promise<void>;
  /** Have a table with these columns, and no row in it. */
  readonly empty: (table: Table) => Promise<void>;
  /** Have a table with the columns of parts, whatever rows are in it; the answer is their names. */
  readonly fit: (table: Table, parts: readonly PartFile[]) => Promise<readonly string[]>;
  readonly insert: (table: Table, part: PartFile) => Promise<void>;
  readonly close: () => Promise<void>;
};

/** Prefix of the marks of copies. */
export const markPrefix = "cadastre_copy_";

export const newMark = (): string => markPrefix + randomBytes(8).toString("hex");

/** A name as SQL. Names are those of a checked manifest and of checked columns. */
export function quoted(name: string): string {
  if (!/^[A-Za-z0-9_][A-Za-z0-9_-]*$/.test(name)) throw new TypeError(`${name} is no name`);
  return `"${name}"`;
}

export const listOf = (columns: Iterable<string>): string => Array.from(columns, quoted).join(", ");

/** The columns of a table as SQL, its key first. */
export const declared = ({ keyField, columns }: Table, types: Readonly<Record<ColumnKind, string>>): string =>
  Array.from(
    columns,
    ([name, kind]) => `${quoted(name)} ${types[kind]}${name === keyField ? " primary key" : ""}`,
  ).join(", ");

/** What columns can take that are there already, by their type. */
export type Takes = Readonly<Record<string, readonly ColumnKind[]>>;

/** How a database has columns. */
export type ColumnTypes = {
  readonly names: TableNames;
  readonly types: Readonly<Record<ColumnKind, string>>;
  readonly takes: Takes;
  /** The types of a table's columns, by their names; empty where there is no such table. */
  readonly typesOf: (table: string) => Promise<ReadonlyMap<string, string>>;
  /** Whether a column that is there is made one of the kind that it is to take. By default none is. */
  readonly widens?: (type: string, kind: ColumnKind) => boolean;
};

/**
 * Have a table whose columns each can take what is to be loaded; the answer is their names.
 *
 * @throws {ClientError} if a column that is there cannot
 */
export async function fitColumns(
  run: SqlSession["run"],
  table: Table,
  { names, types, takes, typesOf, widens = () => false }: ColumnTypes,
): Promise<readonly string[]> {
  const name = names.of(table.name);
  const known = await typesOf(table.name);
  if (known.size === 0) {
    // Not "if not exists": a table that somebody else has created meanwhile must not be written.
    await run(`create table ${name} (${declared(table, types)})`);
    return [...table.columns.keys()];
  }
  for (const [column, kind] of table.columns) {
    const type = known.get(column);
    if (type === undefined) await run(`alter table ${name} add column ${quoted(column)} ${types[kind]}`);
    else if (widens(type, kind))
      await run(`alter table ${name} alter column ${quoted(column)} set data type ${types[kind]}`);
    else if (!takes[type]?.includes(kind))
      throw new ClientError("column_type", { column, table: table.name, kind });
  }
  return [...table.columns.keys()];
}

/** @throws {ClientError} of a part whose records only DuckDB reads. */
export function requireText({ profile: { format } }: PartFile): void {
  if (!isText(format))
    throw new ClientError("format_not_loadable", { format, targets: "a folder or DuckDB" });
}

/** The driver of a database, which its user installs. */
export async function driver<Module>(name: string, load: () => Promise<Module>): Promise<Module> {
  try {
    return await load();
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "ERR_MODULE_NOT_FOUND") throw new ClientError("target_lacks_driver", { package: name });
    throw error;
  }
}
