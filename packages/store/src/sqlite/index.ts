/**
 * A store in a SQLite file.
 *
 * @module
 */

export { backupSqlite, type PinnedDatabase, pinSqlite } from "./backup.ts";
export { checkSqlite, type SqliteFault } from "./check.ts";
export { type FileLock, type LockMode, lockFile } from "./lock.ts";
export { openSqliteStore, type SqliteStoreOptions } from "./store.ts";
