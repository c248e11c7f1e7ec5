/**
 * A store in a SQLite file.
 *
 * @module
 */

export { backupSqlite, type PinnedDatabase, pinSqlite } from "./backup.ts";
export {
  type CheckedDatabase,
  type CheckOptions,
  checkSqlite,
  type FoundFault,
  type SqliteCheck,
  startSqliteCheck,
} from "./check/check.ts";
export type { SqliteFault } from "./check/check-file.ts";
export { compactSqlite } from "./compact.ts";
export { type FileLock, type LockMode, lockFile } from "./lock.ts";
export { openSqliteStore } from "./store.ts";
export type { SqliteStoreOptions } from "./store-options.ts";
export { openSqliteEncoder } from "./write/encoder.ts";
