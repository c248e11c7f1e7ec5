import { randomBytes } from "node:crypto";
import type { ColumnKind, Columns } from "../content/columns.ts";
import type { PartFile } from "../content/read-part.ts";
import type { SchemaColumn, SchemaType } from "../content/schema.ts";
import { ClientError } from "../errors.ts";
import type { Relation } from "./relation.ts";

/** A value for a placeholder. */
type SqlValue = string | number | null;
type SqlRow = Readonly<Record<string, unknown>>;

/** The names of a copy's tables. */
export type TableNames = {
  /** Prefix of each name in the database. */
  readonly prefix: string;
  /** Returns a table's name as SQL. `name` is without the prefix. */
  readonly of: (name: string) => string;
  /** Returns a table's name for messages, with the schema that the user has named. */
  readonly shown: (name: string) => string;
};

/**
 * @param qualifier SQL before each name, such as `"schema".`
 * @param schema the schema that the user has named
 */
export const tableNames = (prefix = "", qualifier = "", schema?: string): TableNames => ({
  prefix,
  of: (name) => `${qualifier}${quoteIdentifier(prefix + name)}`,
  shown: (name) => `${schema === undefined ? "" : `${schema}.`}${prefix}${name}`,
});

/** A table, by its name without the prefix, and the columns that a load fills. */
export type Table = {
  readonly name: string;
  readonly keyField: string;
  readonly columns: Columns;
  /** The columns by the schema document, if the table has their types. */
  readonly schema?: readonly SchemaColumn[] | undefined;
  /** The columns by the schema document, whatever types the table has. */
  readonly described?: readonly SchemaColumn[] | undefined;
  /** Types of those columns as SQL, by name. */
  readonly types?: ReadonlyMap<string, string> | undefined;
};

/** Column types of a database by the types of schema documents. Lists and objects are JSON, unless the database has types for them. */
export type SqlTypes = {
  readonly named: Readonly<Record<Extract<SchemaType, string>, string>>;
  readonly decimal: (precision: number, scale: number) => string;
  /** True if lists and objects have types of their own. */
  readonly isNested: boolean;
};

/** One connection to a database. In statements `?` outside of a quoted name stands for a value. */
export type SqlSession = {
  /** The target for messages: `sqlite:copy.sqlite`. */
  readonly title: string;
  readonly names: TableNames;
  /** True if a load replaces whole tables, so a user cannot create one with column types of his own. */
  readonly replacesTables: boolean;
  /** The options that place the tables elsewhere, for a message. */
  readonly placeOptions: string;
  readonly run: (statement: string, values?: readonly SqlValue[]) => Promise<readonly SqlRow[]>;
  /** Begins a transaction. Waits until no other load has one open. */
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
  /** Makes a table have these columns and no rows. */
  readonly empty: (table: Table) => Promise<void>;
  /** Makes a table have the columns of parts, and keeps its rows. Returns the names of those columns. */
  readonly fit: (table: Table, parts: readonly PartFile[]) => Promise<readonly string[]>;
  readonly insert: (table: Table, part: PartFile) => Promise<void>;
  /** Deletes all rows of a table, so that they are not left in its files where the database can do that. */
  readonly erase: (table: string) => Promise<void>;
  /** Returns the types of a table's columns by name; empty if there is no such table. */
  readonly typesOf: (table: string) => Promise<ReadonlyMap<string, string>>;
  /** Column types for the types of schema documents. */
  readonly sqlTypes: SqlTypes;
  /** True if columns can have comments. */
  readonly hasComments: boolean;
  readonly close: () => Promise<void>;
};

/** Prefix of the marks of copies. */
export const markPrefix = "cadastre_copy_";

export const newMark = (): string => markPrefix + randomBytes(8).toString("hex");

/** Quotes a name as an SQL identifier. Names come from a verified manifest or are checked column names. */
export function quoteIdentifier(name: string): string {
  if (!/^[A-Za-z0-9_][A-Za-z0-9_-]*$/.test(name)) throw new TypeError(`${name} is no name`);
  return `"${name}"`;
}

/** Writes a text as an SQL literal. */
export const quoteSqlText = (text: string): string => `'${text.replaceAll("'", "''")}'`;

export const listOf = (columns: Iterable<string>): string => Array.from(columns, quoteIdentifier).join(", ");

/** Returns the column definitions of a table as SQL. */
export const declared = (table: Table, types: Readonly<Record<ColumnKind, string>>): string =>
  Array.from(
    table.columns,
    ([name, kind]) =>
      `${quoteIdentifier(name)} ${table.types?.get(name) ?? types[kind]}${name === table.keyField ? " primary key" : ""}`,
  ).join(", ");

/** Kinds of values that an existing column can take, by its type. */
export type AcceptedKinds = Readonly<Record<string, readonly ColumnKind[]>>;

/** Column types of a database. */
export type ColumnTypes = {
  readonly names: TableNames;
  readonly types: Readonly<Record<ColumnKind, string>>;
  readonly takes: AcceptedKinds;
  /** Returns the types of a table's columns by name; empty if there is no such table. */
  readonly typesOf: (table: string) => Promise<ReadonlyMap<string, string>>;
  /** True if an existing column of the type must be converted to take the kind. By default no column is converted. */
  readonly widens?: (type: string, kind: ColumnKind) => boolean;
};

/**
 * Creates a table, or adds and converts columns, so that it can take what is to be loaded. Returns the names of its columns.
 *
 * @throws {ClientError} `column_type` if an existing column cannot take its values
 */
export async function fitColumns(
  run: SqlSession["run"],
  table: Table,
  { names, types, takes, typesOf, widens = () => false }: ColumnTypes,
): Promise<readonly string[]> {
  const name = names.of(table.name);
  const known = await typesOf(table.name);
  if (known.size === 0) {
    // Without "if not exists": a table that someone else has created meanwhile must not be written to.
    await run(`create table ${name} (${declared(table, types)})`);
    return [...table.columns.keys()];
  }
  for (const [column, kind] of table.columns) {
    const type = known.get(column);
    const wanted = table.types?.get(column);
    if (type === undefined)
      await run(`alter table ${name} add column ${quoteIdentifier(column)} ${wanted ?? types[kind]}`);
    else if (wanted !== undefined) continue;
    else if (widens(type, kind))
      await run(`alter table ${name} alter column ${quoteIdentifier(column)} set data type ${types[kind]}`);
    else if (!takes[type.replace(/\(.*\)$/, "")]?.includes(kind))
      throw new ClientError("column_type", { column, table: table.name, kind });
  }
  return [...table.columns.keys()];
}

/** Loads a database driver, which the user has to install. @throws {ClientError} `target_lacks_driver` */
export async function driver<Module>(name: string, load: () => Promise<Module>): Promise<Module> {
  try {
    return await load();
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "ERR_MODULE_NOT_FOUND") throw new ClientError("target_lacks_driver", { package: name });
    throw error;
  }
}
