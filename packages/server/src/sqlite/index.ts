/**
 * Reads entity sets from a SQLite database by better-sqlite3.
 *
 * @module
 */
import { LruCache } from "@cadastre/odata/lru-cache";
import { sqlite } from "@cadastre/odata/run";
import { type FunctionHost, registerFunctions } from "@cadastre/odata/sqlite";
import { type DatabaseRow, type SourceMaker, sqlSource } from "../source/sql-source.ts";

/** The part of a better-sqlite3 database that the source uses. */
export type SqliteDatabase = FunctionHost & {
  readonly prepare: (text: string) => { readonly all: (...values: never[]) => unknown[] };
};

/** Number of prepared statements that are kept. */
const keptStatements = 500;

/** Reads records from the tables of a SQLite database, version 3.38 or later. Registers functions in it, which queries use. */
export function sqliteSource(database: SqliteDatabase): SourceMaker {
  registerFunctions(database);
  const statements = new LruCache<string, ReturnType<SqliteDatabase["prepare"]>>(keptStatements);
  return sqlSource({
    dialect: sqlite,
    run: ({ text, values }) =>
      statements.get(text, () => database.prepare(text)).all(...(values as never[])) as DatabaseRow[],
  });
}
