import Database from "better-sqlite3";
import pg from "pg";
import { type CompiledSql, postgres, type Row, sqlite } from "../../src/index.ts";
import { postgresHelpers, postgresSettings } from "../../src/postgres/index.ts";
import { registerFunctions } from "../../src/sqlite/index.ts";
import { startPostgres } from "../../src/testing/postgres.ts";
import type { Estate } from "./estate.ts";
import { contents, createTables, tableNames } from "./estate-tables.ts";

/** Opens an SQLite database with the tables of an estate. Keys are returned as numbers, as in memory. */
export function openSqliteEstate() {
  const database = new Database(":memory:");
  registerFunctions(database);
  for (const statement of createTables("text")) database.exec(statement);
  return {
    dialect: sqlite,
    load: async (estate: Estate): Promise<void> => {
      for (const table of tableNames) database.exec(`delete from "${table}"`);
      for (const [table, rows] of Object.entries(contents(estate))) {
        if (rows.length === 0) continue;
        const places = Object.keys(rows[0] ?? {}).map(() => "?");
        const insert = database.prepare(`insert into "${table}" values (${places.join(", ")})`);
        for (const row of rows)
          insert.run(
            Object.values(row).map((one) =>
              typeof one === "object" && one !== null ? JSON.stringify(one) : one,
            ),
          );
      }
    },
    run: async ({ text, values }: CompiledSql): Promise<readonly Row[]> =>
      (database.prepare(text).all(...values) as Row[]).map(inMemory),
    plan: async ({ text, values }: CompiledSql): Promise<string> =>
      (database.prepare(`explain query plan ${text}`).all(...values) as { detail: string }[])
        .map(({ detail }) => detail)
        .join("\n"),
    close: async (): Promise<void> => void database.close(),
  };
}

/** Like {@link openSqliteEstate}, on a new PostgreSQL server. */
export async function openPostgresEstate() {
  const server = await startPostgres();
  const pool = server.connect(1);
  for (const statement of [...postgresSettings, ...postgresHelpers(), ...createTables("jsonb")])
    await pool.query(statement);
  return {
    dialect: postgres,
    load: async (estate: Estate): Promise<void> => {
      await pool.query(`truncate ${tableNames.map((table) => `"${table}"`).join(", ")}`);
      for (const [table, rows] of Object.entries(contents(estate))) {
        const statement = `insert into "${table}" select * from json_populate_recordset(null::"${table}", $1)`;
        await pool.query(statement, [JSON.stringify(rows)]);
      }
    },
    run: async ({ text, values }: CompiledSql): Promise<readonly Row[]> =>
      (await pool.query<Row>(text, [...values])).rows.map(inMemory),
    /** Returns the plan that the server would choose for large tables. */
    plan: async ({ text, values }: CompiledSql): Promise<string> => {
      await pool.query("set enable_seqscan = off");
      const { rows } = await pool.query<Row>(`explain ${text}`, [...values]);
      await pool.query("set enable_seqscan = on");
      return rows.map((row) => String(row["QUERY PLAN"])).join("\n");
    },
    close: async (): Promise<void> => {
      await pool.end();
      await server.stop();
    },
  };
}

/** Converts the numbers and collections of a row, which the driver may return as text. */
const inMemory = (row: Row): Row =>
  Object.fromEntries(
    Object.entries(row).map(([name, one]) => {
      const isJson = typeof one === "string" && /^(?:-?\d+(?:\.\d+)?|\[.*\])$/.test(one);
      return [name, isJson ? JSON.parse(one) : one];
    }),
  );

// Keep dates as text: the driver would convert them to instants.
pg.types.setTypeParser(pg.types.builtins.DATE, (text) => text);
