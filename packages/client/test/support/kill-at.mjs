// Loaded before the program: kills it before its n-th statement to a database. Where n is 0 it writes down which were commits.
import { writeFileSync } from "node:fs";

const { KILL_AT, KILL_DRIVER = "", KILL_COMMITS = "" } = process.env;
const last = Number(KILL_AT);
/** @type {number[]} */
const commits = [];
let statements = 0;

/**
 * Counts each call of a method, before it is carried out.
 *
 * @param {unknown} owner
 * @param {string} name
 * @param {(self: unknown, first: unknown) => unknown} textOf
 */
function counting(owner, name, textOf) {
  const methods = /** @type {Record<string, (...input: unknown[]) => unknown>} */ (owner);
  const method = methods[name];
  /** @this {unknown} @param {unknown[]} input */
  methods[name] = function (...input) {
    statements++;
    if (statements === last) process.kill(process.pid, "SIGKILL");
    if (textOf(this, input[0]) === "commit") commits.push(statements);
    return method?.apply(this, input);
  };
}

/** @type {(self: unknown, first: unknown) => unknown} */
const firstOf = (_, first) => first;

/** @type {Record<string, () => Promise<void>>} */
const drivers = {
  SQLite: async () => {
    const { default: Database } = await import("better-sqlite3");
    /** @type {unknown} */
    const statement = Object.getPrototypeOf(new Database(":memory:").prepare("select 1"));
    const sourceOf = (/** @type {unknown} */ self) => /** @type {{ source: unknown }} */ (self).source;
    for (const name of ["run", "all"]) counting(statement, name, sourceOf);
    counting(Database.prototype, "exec", firstOf);
  },
  PostgreSQL: async () => {
    const { default: pg } = await import("pg");
    counting(pg.Client.prototype, "query", firstOf);
  },
  DuckDB: async () => {
    const { DuckDBConnection } = await import("@duckdb/node-api");
    counting(DuckDBConnection.prototype, "runAndReadAll", firstOf);
  },
};
await drivers[KILL_DRIVER]?.();

process.on("exit", () => {
  if (last === 0) writeFileSync(KILL_COMMITS, JSON.stringify(commits));
});
