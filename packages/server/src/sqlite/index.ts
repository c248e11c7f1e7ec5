/**
 * Reads entity sets from a SQLite database by better-sqlite3.
 *
 * @module
 */
import { type AggregateHost, registerAggregates } from "@cadastre/odata/apply";
import { LruCache } from "@cadastre/odata/lru-cache";
import { sqlite } from "@cadastre/odata/run";
import { type FunctionHost, registerFunctions } from "@cadastre/odata/sqlite";
import type { Database, DatabaseRow } from "../database.ts";
import { printDatabase } from "../introspect/print-declarations.ts";
import { type SourceMaker, sqlSource } from "../source/sql-source.ts";

/** The part of a better-sqlite3 database that the source uses. */
export type SqliteDatabase = FunctionHost &
  AggregateHost & {
    readonly prepare: (text: string) => { readonly all: (...values: never[]) => unknown[] };
  };

/** Number of prepared statements that are kept. */
const keptStatements = 500;

/**
 * Reads records from the tables of a SQLite database, version 3.38 or later. Registers functions in it, which queries use.
 *
 * @throws {TypeError} if it is no open database of better-sqlite3
 */
export function sqliteSource(database: SqliteDatabase): SourceMaker {
  if (typeof database.prepare !== "function")
    throw new TypeError("`sqliteSource` takes an open database of better-sqlite3: `new Database(file)`");
  registerFunctions(database);
  registerAggregates(database);
  return sqlSource(databaseOf(database));
}

/**
 * Returns declarations of the tables of a SQLite database as the text of a module, to start from: types, keys, and navigation by foreign
 * keys. What it cannot tell for certain it leaves out, with a comment.
 */
export const introspectSqlite = (database: Pick<SqliteDatabase, "prepare">): Promise<string> =>
  printDatabase(databaseOf(database));

function databaseOf(database: Pick<SqliteDatabase, "prepare">): Database {
  const statements = new LruCache<string, ReturnType<SqliteDatabase["prepare"]>>(keptStatements);
  return {
    dialect: sqlite,
    run: ({ text, values }) =>
      statements.get(text, () => database.prepare(text)).all(...(values as never[])) as DatabaseRow[],
  };
}
