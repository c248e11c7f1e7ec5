import type { ManifestProfile } from "@cadastre/manifest";
import { type ColumnKind, requireColumnName } from "../content/columns.ts";
import type { PartFile } from "../content/read-part.ts";
import { ClientError } from "../errors.ts";
import { duckdbTypes } from "./column-types.ts";
import { duckdbColumns, duckdbRelation } from "./duckdb-catalog.ts";
import { offlineSettings } from "./offline-settings.ts";
import {
  type AcceptedKinds,
  type ColumnTypes,
  declared,
  driver,
  fitColumns,
  listOf,
  newMark,
  quoteIdentifier,
  type SqlSession,
  type Table,
  type TableNames,
  tableNames,
} from "./session.ts";
import { sqlTarget, targetFailure } from "./sql-target.ts";
import type { TablePlace, TargetOptions } from "./table-place.ts";
import type { LoadTarget } from "./target.ts";

const types = {
  text: "varchar",
  integer: "bigint",
  number: "double",
  boolean: "boolean",
  json: "json",
} as const satisfies Record<ColumnKind, string>;

/** Table functions by which DuckDB reads a part; `?` is its file. */
const readers: Readonly<Record<ManifestProfile["format"], (table: Table) => string>> = {
  jsonl: (table) => `read_json(?, format = 'newline_delimited', columns = {${structOf(table)}})`,
  // Quoted cells are never null, so an empty text stays an empty text.
  csv: () => "read_csv(?, header = true, all_varchar = true, allow_quoted_nulls = false)",
  parquet: () => "read_parquet(?)",
};

/** Kinds of values that an existing column can take, by its type. */
const takes: AcceptedKinds = {
  varchar: ["text"],
  bigint: ["integer"],
  double: ["integer", "number"],
  boolean: ["boolean"],
  json: ["text", "integer", "number", "boolean", "json"],
  decimal: ["integer", "number"],
  "timestamp with time zone": ["text"],
  date: ["text"],
  time: ["text"],
};

/** Types without names from the file in them, such as `DECIMAL(18,2)` and `VARCHAR[]`. */
const plainType = /^[A-Z][A-Z0-9_ ]*(?:\(\d+(?:, ?\d+)?\))?(?:\[\])*$/;

const structOf = ({ columns, types: typed }: Table): string =>
  Array.from(
    columns,
    ([column, kind]) => `${quoteIdentifier(column)}: '${typed?.get(column) ?? types[kind]}'`,
  ).join(", ");

/** Returns the columns of a table for a query that reads a part. Cells of CSV are texts, in which lists and objects are JSON. */
function selected({ columns, schema, types: typed }: Table, format: ManifestProfile["format"]): string {
  if (schema === undefined || typed === undefined || format !== "csv") return listOf(columns.keys());
  return schema
    .filter(({ name }) => columns.has(name))
    .map((column) => {
      const own = quoteIdentifier(column.name);
      const isNested = column.collection || (typeof column.type === "object" && "struct" in column.type);
      return `cast(${isNested ? `cast(${own} as json)` : own} as ${typed.get(column.name)})`;
    })
    .join(", ");
}

/** Opens a DuckDB file as a target. */
export const openDuckdb = async (file: string, options: TargetOptions): Promise<LoadTarget> =>
  sqlTarget(await openSession(file, options), options);

/** Opens the database. Exported for tests of its settings. @internal */
export async function openSession(
  file: string,
  { prefix = "", schema: named }: TablePlace,
): Promise<SqlSession> {
  const schema = named ?? "main";
  const { DuckDBInstance } = await driver("@duckdb/node-api", () => import("@duckdb/node-api"));
  const title = `duckdb:${file}`;
  const instance = await DuckDBInstance.create(file, offlineSettings).catch((error: unknown) => {
    throw targetFailure(title, error);
  });
  const connection = await instance.connect();
  const run: SqlSession["run"] = async (statement, values = []) => {
    const reader = await connection.runAndReadAll(statement, [...values]);
    return reader.getRowObjects();
  };
  const names = tableNames(prefix, await qualifierOf(run, schema), named);
  const typesOf = (table: string) => duckdbColumns(run, schema, prefix + table);
  return {
    title,
    names,
    replacesTables: true,
    placeOptions: "`--schema` or `--prefix`",
    run,
    begin: async () => void (await run("begin transaction")),
    relation: (name) => duckdbRelation(run, schema, prefix + name),
    // DuckDB has no partial indexes, so the mark is a comment. It overwrites none of the user's, since this program creates the tables.
    mark: async ({ name }) => {
      await run(`comment on table ${names.of(name)} is '${newMark()}'`);
      return (await duckdbRelation(run, schema, prefix + name))?.marks.join(" ");
    },
    // DuckDB locks the file for one process.
    lock: async () => {},
    empty: async (table) =>
      void (await run(`create or replace table ${names.of(table.name)} (${declared(table, types)})`)),
    fit: (table, parts) =>
      table.types === undefined && parts.some(({ profile: { format } }) => format === "parquet")
        ? fitParquet(run, { names, typesOf }, table, parts)
        : fitColumns(run, table, { names, types, takes, typesOf, widens }),
    erase: async (table) => void (await run(`delete from ${names.of(table)}`)),
    insert: async (table, { file: part, part: { content }, profile: { format } }) => {
      // A table takes its columns from the Parquet file.
      const isAdopted = table.types === undefined && format === "parquet" && content === "rows";
      const list = isAdopted ? undefined : listOf(table.columns.keys());
      if (list === undefined) await adopt(run, names, table, part);
      await run(
        `insert into ${names.of(table.name)} ${list === undefined ? "by name select *" : `(${list}) select ${selected(table, format)}`} from ${readers[format](table)}`,
        [part],
      );
    },
    typesOf,
    sqlTypes: duckdbTypes,
    hasComments: true,
    close: async () => {
      connection.closeSync();
      instance.closeSync();
    },
  };
}

/** Gives an empty table the columns of a Parquet file. Leaves a table with rows unchanged. */
async function adopt(
  run: SqlSession["run"],
  names: TableNames,
  { name, keyField }: Table,
  file: string,
): Promise<void> {
  const table = names.of(name);
  const [count] = await run(`select count(*) as n from ${table}`);
  if (Number(count?.["n"]) > 0) return;
  await run(`create or replace table ${table} as select * from read_parquet(?) limit 0`, [file]);
  await run(`alter table ${table} add primary key (${quoteIdentifier(keyField)})`);
}

/** True if an integer column must become a number: so far it held only whole numbers. */
const widens = (type: string, kind: ColumnKind): boolean => type === types.integer && kind === "number";

/** Returns a schema as SQL, with its catalog: without it, a schema of the catalog's name would be ambiguous. */
async function qualifierOf(run: SqlSession["run"], schema: string): Promise<string> {
  const [found] = await run("select current_database() as catalog");
  const qualifier = `"${String(found?.["catalog"]).replaceAll('"', '""')}".${quoteIdentifier(schema)}`;
  await run(`create schema if not exists ${qualifier}`);
  return `${qualifier}.`;
}

/** Adds missing columns of Parquet files to a table, and returns the names of the files' columns, which are equal within a generation. */
async function fitParquet(
  run: SqlSession["run"],
  { names, typesOf }: Pick<ColumnTypes, "names" | "typesOf">,
  { name, keyField }: Table,
  parts: readonly PartFile[],
): Promise<readonly string[]> {
  const rows = parts.find(({ part }) => part.content === "rows");
  if (rows === undefined) return [keyField];
  const known = await typesOf(name);
  const columns = await run("describe select * from read_parquet(?)", [rows.file]);
  for (const column of columns) {
    const [own, type] = [String(column["column_name"]), String(column["column_type"])];
    requireColumnName(own, name);
    if (known.has(own)) continue;
    if (!plainType.test(type))
      throw new ClientError("column_type", { column: own, table: name, kind: "json" });
    await run(`alter table ${names.of(name)} add column ${quoteIdentifier(own)} ${type}`);
  }
  return columns.map((column) => String(column["column_name"]));
}
