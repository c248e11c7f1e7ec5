import { chmod, open, rename, rm } from "node:fs/promises";
import Database from "better-sqlite3";

/** A snapshot of a database, held by an open read transaction. The write-ahead log grows until the snapshot is closed. */
export type PinnedDatabase = {
  /**
   * Writes the snapshot to a new file that only its owner can read.
   *
   * @param progress called with the copied fraction, from 0 to 1
   */
  readonly copyTo: (file: string, progress?: (share: number) => void) => Promise<void>;
  readonly close: () => void;
};

/** Number of pages copied before other tasks run: 4 MB, or 1 MB of a file with pages of 4 kB. */
const pagesAtOnce = 256;

/** Opens a read transaction on a database that others continue to write to. */
export function pinSqlite(file: string): PinnedDatabase {
  const database = new Database(file, { readonly: true, fileMustExist: true });
  // Without a transaction the backup would restart whenever another process commits.
  database.exec("begin");
  database.prepare(`select count(*) from "sqlite_schema"`).get();
  return {
    copyTo: async (to, progress = () => {}) => {
      await database.backup(to, {
        progress: ({ totalPages, remainingPages }) => {
          if (totalPages > 0) progress(1 - remainingPages / totalPages);
          return pagesAtOnce;
        },
      });
      makeSelfContained(to);
      await chmod(to, 0o600);
    },
    close: () => database.close(),
  };
}

/**
 * Writes a consistent copy of a database while others use it (SQLite's online backup). The copy is flushed to the disk before it gets
 * its name, so a file of that name is always complete.
 */
export async function backupSqlite(
  file: string,
  to: string,
  progress?: (share: number) => void,
): Promise<void> {
  const partial = `${to}.partial`;
  await rm(partial, { force: true });
  const pinned = pinSqlite(file);
  try {
    await pinned.copyTo(partial, progress);
    await flush(partial);
    await rename(partial, to);
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  } finally {
    pinned.close();
  }
}

async function flush(file: string): Promise<void> {
  const handle = await open(file, "r+");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Turns off the write-ahead log of the copy, so that reading it creates no files beside it. */
function makeSelfContained(file: string): void {
  const copy = new Database(file);
  copy.pragma("journal_mode = delete");
  copy.close();
}
