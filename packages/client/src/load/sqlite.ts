import { setTimeout } from "node:timers/promises";
import type { ColumnKind } from "../content/columns.ts";
import { isText, readPart } from "../content/read-part.ts";
import { ClientError } from "../errors.ts";
import { declared, driver, listOf, quoted, requireFit, type SqlSession, type Takes } from "./session.ts";
import { sqlTarget } from "./sql-target.ts";
import type { Target } from "./target.ts";

/** Time for which the database is waited for at once, and longest time in all, in milliseconds: another load takes its time. */
const tick = 100;
const longestWait = 15 * 60_000;

/** Without a type a column keeps what it is given. */
const types = {
  text: "text",
  integer: "integer",
  number: "real",
  boolean: "integer",
  json: "",
} as const satisfies Record<ColumnKind, string>;

/** Another type would have SQLite make a number of a text, or a text of a number. */
const takes: Takes = {
  text: ["text"],
  integer: ["integer", "number", "boolean"],
  real: ["integer", "number"],
  "": ["text", "integer", "number", "boolean", "json"],
};

/** A SQLite file. Lists and objects are JSON text, booleans 0 and 1. */
export const openSqlite = async (file: string): Promise<Target> => sqlTarget(await openSqliteSession(file));

export async function openSqliteSession(file: string): Promise<SqlSession> {
  const { default: Database } = await driver("better-sqlite3", () => import("better-sqlite3"));
  const database = openDatabase(() => new Database(file, { timeout: tick }));
  database.pragma("journal_mode = wal");
  const run: SqlSession["run"] = async (statement, values = []) => {
    const prepared = database.prepare<unknown[], Record<string, unknown>>(statement);
    if (prepared.reader) return prepared.all(...values);
    prepared.run(...values);
    return [];
  };
  return {
    run,
    begin: () => untilFree(() => void database.exec("begin immediate")),
    empty: async (table) => {
      const name = quoted(table.name);
      await run(`create table if not exists ${name} (${declared(table, types)})`);
      const found = await run("select name, lower(type) as type from pragma_table_info(?)", [table.name]);
      const known = new Map(found.map((column) => [String(column["name"]), String(column["type"])]));
      for (const [column, kind] of table.columns) {
        const type = known.get(column);
        if (type === undefined) await run(`alter table ${name} add column ${quoted(column)} ${types[kind]}`);
        else requireFit(takes, type, kind, column, table.name);
      }
      await run(`delete from ${name}`);
    },
    insert: async (table, part) => {
      if (!isText(part.profile.format))
        throw new ClientError("format_not_loadable", {
          format: part.profile.format,
          targets: "a folder or DuckDB",
        });
      const members = Array.from(
        table.columns.keys(),
        (column) => `json_extract(@line, '$.${quoted(column)}')`,
      );
      const insert = database.prepare<[{ line: string }]>(
        `insert into ${quoted(table.name)} (${listOf(table.columns.keys())}) values (${members.join(", ")})`,
      );
      for await (const lines of readPart(part)) for (const line of lines) insert.run({ line });
    },
    close: async () => void database.close(),
  };
}

function openDatabase<Database>(open: () => Database): Database {
  try {
    return open();
  } catch (error) {
    throw new ClientError("target_failed", { reason: error instanceof Error ? error.message : "" });
  }
}

/** Do what another program may be in the way of, without standing in the way of this one's timers. */
async function untilFree(work: () => void): Promise<void> {
  for (const began = performance.now(); ; ) {
    try {
      work();
      return;
    } catch (error) {
      const busy = error instanceof Error && "code" in error && error.code === "SQLITE_BUSY";
      if (!busy || performance.now() - began > longestWait) throw error;
      await setTimeout(tick);
    }
  }
}
