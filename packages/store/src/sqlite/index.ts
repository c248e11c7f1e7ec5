/**
 * The store on SQLite.
 *
 * @module
 */
export { openSqliteStore, type SqliteStore, type SqliteStoreOptions } from "./store.ts";
