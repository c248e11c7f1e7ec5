/**
 * The store on SQLite.
 *
 * @module
 */
export { openSqliteStore, type SqliteStoreOptions } from "./store.ts";
