/**
 * The store on SQLite.
 *
 * @module
 */
export { copySqliteDatabase } from "./copy.ts";
export { openSqliteStore, type SqliteStoreOptions } from "./store.ts";
