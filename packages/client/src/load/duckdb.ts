import type { ManifestProfile } from "@cadastre/manifest";
import { type ColumnKind, requireColumnName } from "../content/columns.ts";
import type { PartFile } from "../content/read-part.ts";
import { ClientError } from "../errors.ts";
import {
  declared,
  driver,
  fitColumns,
  listOf,
  quoted,
  type SqlSession,
  type Table,
  type Takes,
} from "./session.ts";
import { sqlTarget } from "./sql-target.ts";
import type { Target } from "./target.ts";

const types = {
  text: "varchar",
  integer: "bigint",
  number: "double",
  boolean: "boolean",
  json: "json",
} as const satisfies Record<ColumnKind, string>;

/** How DuckDB reads a part; `?` is its file. */
const readers: Readonly<Record<ManifestProfile["format"], (table: Table) => string>> = {
  jsonl: (table) => `read_json(?, format = 'newline_delimited', columns = {${structOf(table)}})`,
  // Quoted cells are never null, so that the empty text stays one.
  csv: () => "read_csv(?, header = true, all_varchar = true, allow_quoted_nulls = false)",
  parquet: () => "read_parquet(?)",
};

/** What a column that is there already can take. */
const takes: Takes = {
  varchar: ["text"],
  bigint: ["integer"],
  double: ["integer", "number"],
  boolean: ["boolean"],
  json: ["text", "integer", "number", "boolean", "json"],
};

/** Types that hold no names of a file's, such as `DECIMAL(18,2)` and `VARCHAR[]`. */
const plainType = /^[A-Z][A-Z0-9_ ]*(?:\(\d+(?:, ?\d+)?\))?(?:\[\])*$/;

const structOf = ({ columns }: Table): string =>
  Array.from(columns, ([column, kind]) => `${quoted(column)}: '${types[kind]}'`).join(", ");

/** A DuckDB file, by which alone Parquet is loaded. */
export const openDuckdb = async (file: string): Promise<Target> => sqlTarget(await openSession(file));

async function openSession(file: string): Promise<SqlSession> {
  const { DuckDBInstance } = await driver("@duckdb/node-api", () => import("@duckdb/node-api"));
  const instance = await DuckDBInstance.create(file).catch((error: Error) => {
    throw new ClientError("target_failed", { reason: error.message });
  });
  const connection = await instance.connect();
  const run: SqlSession["run"] = async (statement, values = []) => {
    const reader = await connection.runAndReadAll(statement, [...values]);
    return reader.getRowObjects();
  };
  return {
    run,
    begin: async () => void (await run("begin transaction")),
    empty: async (table) =>
      void (await run(`create or replace table ${quoted(table.name)} (${declared(table, types)})`)),
    fit: (table, parts) =>
      parts.some(({ profile: { format } }) => format === "parquet")
        ? fitParquet(run, table, parts)
        : fit(run, table),
    insert: async (table, { file: part, part: { content }, profile: { format } }) => {
      // The columns of Parquet are its own.
      const isAdopted = format === "parquet" && content === "rows";
      const list = isAdopted ? undefined : listOf(table.columns.keys());
      if (list === undefined) await adopt(run, table, part);
      await run(
        `insert into ${quoted(table.name)} ${list === undefined ? "by name select *" : `(${list}) select ${list}`} from ${readers[format](table)}`,
        [part],
      );
    },
    close: async () => {
      connection.closeSync();
      instance.closeSync();
    },
  };
}

/** Give an empty table the columns of a Parquet file. */
async function adopt(run: SqlSession["run"], { name, keyField }: Table, file: string): Promise<void> {
  const [count] = await run(`select count(*) as n from ${quoted(name)}`);
  if (Number(count?.["n"]) > 0) return;
  await run(`create or replace table ${quoted(name)} as select * from read_parquet(?) limit 0`, [file]);
  await run(`alter table ${quoted(name)} add primary key (${quoted(keyField)})`);
}

/** The types of a table's columns. */
async function typesOf(run: SqlSession["run"], table: string): Promise<ReadonlyMap<string, string>> {
  const found = await run(`describe ${quoted(table)}`);
  return new Map(
    found.map((column) => [String(column["column_name"]), String(column["column_type"]).toLowerCase()]),
  );
}

const fit = (run: SqlSession["run"], table: Table): Promise<readonly string[]> =>
  fitColumns(run, table, {
    types,
    takes,
    typesOf: (name) => typesOf(run, name),
    // Whole numbers alone were met so far.
    widens: (type, kind) => type === types.integer && kind === "number",
  });

/** The same where the columns are those of Parquet files, which are alike within a generation. */
async function fitParquet(
  run: SqlSession["run"],
  { name, keyField }: Table,
  parts: readonly PartFile[],
): Promise<readonly string[]> {
  const rows = parts.find(({ part }) => part.content === "rows");
  if (rows === undefined) return [keyField];
  const known = await typesOf(run, name);
  const columns = await run("describe select * from read_parquet(?)", [rows.file]);
  for (const column of columns) {
    const [own, type] = [String(column["column_name"]), String(column["column_type"])];
    requireColumnName(own, name);
    if (known.has(own)) continue;
    if (!plainType.test(type))
      throw new ClientError("column_type", { column: own, table: name, kind: "json" });
    await run(`alter table ${quoted(name)} add column ${quoted(own)} ${type}`);
  }
  return columns.map((column) => String(column["column_name"]));
}
