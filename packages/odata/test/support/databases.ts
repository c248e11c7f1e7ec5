import Database from "better-sqlite3";
import { type CompiledSql, type EntitySet, postgres, type Row, sqlite } from "../../src/index.ts";
import { postgresHelpers, postgresSettings } from "../../src/postgres/index.ts";
import type { Dialect } from "../../src/run/index.ts";
import { registerFunctions } from "../../src/sqlite/index.ts";
import { hasPostgres, startPostgres } from "../../src/testing/postgres.ts";
import { createPostgresTable } from "./postgres-table.ts";
import { createSqliteTable } from "./sqlite-table.ts";

type SqlRows = readonly (readonly unknown[])[];

/** A database that compiled queries run on. */
export type TestDatabase = {
  readonly dialect: Dialect;
  /** Creates a table named like the entity set, with one column per property, and fills it. */
  readonly fill: (entitySet: EntitySet, rows: readonly Row[]) => Promise<void>;
  /** Runs a query and returns its rows as arrays. */
  readonly run: (compiled: CompiledSql) => Promise<SqlRows>;
  /** Runs SQL that a test has written by hand. */
  readonly execute: (text: string, values?: readonly unknown[]) => Promise<void>;
  readonly close: () => Promise<void>;
};

function openSqlite(): TestDatabase {
  const database = new Database(":memory:");
  registerFunctions(database);
  return {
    dialect: sqlite,
    fill: async ({ name, type }, rows) =>
      createSqliteTable(database, name, [...type.properties.values()], rows),
    run: async ({ text, values }) =>
      database
        .prepare(text)
        .raw()
        .safeIntegers()
        .all(...values) as SqlRows,
    execute: async (text, values = []) => void database.prepare(text).run(...values),
    close: async () => void database.close(),
  };
}

async function openPostgres(): Promise<TestDatabase> {
  const server = await startPostgres();
  const pool = server.connect(1);
  for (const statement of [...postgresSettings, ...postgresHelpers()]) await pool.query(statement);
  return {
    dialect: postgres,
    fill: ({ name, type }, rows) => createPostgresTable(pool, name, [...type.properties.values()], rows),
    run: async ({ text, values }) =>
      (await pool.query<unknown[]>({ text, values: [...values], rowMode: "array" })).rows,
    execute: async (text, values = []) => void (await pool.query(text, [...values])),
    close: async () => {
      await pool.end();
      await server.stop();
    },
  };
}

/** Opens SQLite, and PostgreSQL if a server is installed. */
export async function openDatabases(): Promise<readonly TestDatabase[]> {
  if (!hasPostgres) console.warn("PostgreSQL is left out: no server is installed");
  return hasPostgres ? [openSqlite(), await openPostgres()] : [openSqlite()];
}
