// Loaded before the program: kills it before its n-th statement to a database. Where n is 0 it writes down which were commits.
import { writeFileSync } from "node:fs";

const { KILL_AT, KILL_DRIVER, KILL_COMMITS } = process.env;
const last = Number(KILL_AT);
const commits = [];
let statements = 0;

/** Counts each call of a method, before it is carried out. */
function counting(owner, name, textOf) {
  const method = owner[name];
  owner[name] = function (...input) {
    statements++;
    if (statements === last) process.kill(process.pid, "SIGKILL");
    if (textOf(this, input) === "commit") commits.push(statements);
    return method.apply(this, input);
  };
}

const firstOf = (_, [text]) => text;
const drivers = {
  SQLite: async () => {
    const { default: Database } = await import("better-sqlite3");
    const statement = Object.getPrototypeOf(new Database(":memory:").prepare("select 1"));
    for (const name of ["run", "all"]) counting(statement, name, ({ source }) => source);
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
await drivers[KILL_DRIVER]();

process.on("exit", () => {
  if (last === 0) writeFileSync(KILL_COMMITS, JSON.stringify(commits));
});
