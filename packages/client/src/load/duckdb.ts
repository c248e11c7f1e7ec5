import type { ManifestProfile } from "@cadastre/manifest";
import type { ColumnKind } from "../content/columns.ts";
import { ClientError } from "../errors.ts";
import { declared, driver, listOf, quoted, type SqlSession, type Table } from "./session.ts";
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
    insert: async (table, { file: part, profile: { format } }) => {
      // The columns of Parquet are its own.
      const list = format === "parquet" ? undefined : listOf(table.columns.keys());
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
