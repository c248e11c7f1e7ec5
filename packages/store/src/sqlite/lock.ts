import { chmodSync } from "node:fs";
import Database from "better-sqlite3";

/** Held until it is released, or until the process ends, however it ends. */
export type FileLock = { readonly release: () => void };

/** Several processes may share a lock; one alone has it exclusively. */
export type LockMode = "shared" | "exclusive";

/**
 * Locks a file, which is made if it does not exist. The lock is SQLite's on an empty database: the operating system
 * takes it back when the process ends, so that none is ever left over.
 *
 * @returns undefined if another process holds a lock that excludes this one
 */
export function lockFile(file: string, mode: LockMode): FileLock | undefined {
  const database = new Database(file, { timeout: 0 });
  try {
    chmodSync(file, 0o600);
    // A journal of its own, and no write-ahead log: readers exclude a writer then.
    database.exec(mode === "shared" ? "begin" : "begin exclusive");
    database.prepare(`select count(*) from "sqlite_schema"`).get();
    return { release: () => void database.close() };
  } catch (error) {
    database.close();
    if (error instanceof Database.SqliteError && error.code.startsWith("SQLITE_BUSY")) return undefined;
    throw error;
  }
}
