import { chmodSync } from "node:fs";
import Database from "better-sqlite3";

/** A lock that is held until it is released or the process ends. */
export type FileLock = { readonly release: () => void };

/** Any number of processes may hold a shared lock; an exclusive lock excludes all others. */
export type LockMode = "shared" | "exclusive";

/**
 * Locks a file, and creates it if it does not exist. The lock is SQLite's lock on an empty database, which the operating system releases
 * when the process ends, so no stale lock is left.
 *
 * @returns undefined if another process holds a lock that excludes this one
 */
export function lockFile(file: string, mode: LockMode): FileLock | undefined {
  const database = new Database(file, { timeout: 0 });
  try {
    chmodSync(file, 0o600);
    // With a rollback journal instead of a write-ahead log, readers exclude a writer.
    database.exec(mode === "shared" ? "begin" : "begin exclusive");
    database.prepare(`select count(*) from "sqlite_schema"`).get();
    return { release: () => void database.close() };
  } catch (error) {
    database.close();
    if (error instanceof Database.SqliteError && error.code.startsWith("SQLITE_BUSY")) return undefined;
    throw error;
  }
}
