import { hash } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import { identifier, type SqlFragment, sql, sqlite } from "@cadastre/odata";
import { render } from "@cadastre/odata/run";
import type { Database } from "better-sqlite3";
import type { Session } from "../database/session.ts";

/** Number of rows to stream before other tasks may run. */
const turn = 500;

const sha256 = "cadastre_sha256";

/** See `BuildDatabase.sha256`. The connection needs {@link registerSha256}. */
export const sha256Of = (text: SqlFragment): SqlFragment => sql`${identifier(sha256)}(${text})`;

export const registerSha256 = (database: Database): void =>
  void database.function(sha256, { deterministic: true }, (text) => hash("sha256", text as string));

const compile = (statement: SqlFragment) => render(statement, sqlite.placeholder);

/** Creates a session on a connection. To write while streaming, the connection must be in unsafe mode. */
export const sqliteSession = (database: Database): Session => ({
  rows: async (statement) => {
    const { text, values } = compile(statement);
    const prepared = database.prepare(text);
    if (prepared.reader) return prepared.raw().all(...values) as unknown[][];
    prepared.run(...values);
    return [];
  },
  each: async (statement, all) => {
    const prepared = database.prepare(compile(statement).text);
    for (const values of all) prepared.run(...values);
  },
  async *stream(statement) {
    const { text, values } = compile(statement);
    let read = 0;
    for (const row of database
      .prepare(text)
      .raw()
      .iterate(...values)) {
      yield row as unknown[];
      if (++read % turn === 0) await setImmediate();
    }
  },
});
