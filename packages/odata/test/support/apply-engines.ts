import Database from "better-sqlite3";
import { registerAggregates } from "../../src/apply/index.ts";
import { type CompiledSql, postgres, type Row, sqlite } from "../../src/index.ts";
import { postgresHelpers, postgresSettings } from "../../src/postgres/index.ts";
import type { Dialect } from "../../src/run/index.ts";
import { registerFunctions } from "../../src/sqlite/index.ts";
import { startPostgres } from "../../src/testing/postgres.ts";

/** A database with the aggregate functions. Rows are as its driver returns them. */
export type ApplyEngine = {
  readonly dialect: Dialect;
  readonly run: (compiled: CompiledSql) => Promise<readonly Row[]>;
  readonly execute: (text: string, values?: readonly unknown[]) => Promise<void>;
  readonly close: () => Promise<void>;
};

export function openSqliteApply(): ApplyEngine & { readonly database: Database.Database } {
  const database = new Database(":memory:");
  registerFunctions(database);
  registerAggregates(database);
  return {
    database,
    dialect: sqlite,
    run: async ({ text, values }) => database.prepare(text).all(...values) as Row[],
    execute: async (text, values = []) => void database.prepare(text).run(...values),
    close: async () => void database.close(),
  };
}

export async function openPostgresApply() {
  const server = await startPostgres();
  const pool = server.connect(1);
  for (const statement of [...postgresSettings, ...postgresHelpers()]) await pool.query(statement);
  const engine: ApplyEngine = {
    dialect: postgres,
    run: async ({ text, values }) => (await pool.query<Row>(text, [...values])).rows,
    execute: async (text, values = []) => void (await pool.query(text, [...values])),
    close: async () => {
      await pool.end();
      await server.stop();
    },
  };
  return { ...engine, pool };
}
