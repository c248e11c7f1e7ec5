import { chmod, open, rename, rm } from "node:fs/promises";
import Database from "better-sqlite3";

/** A database as it is now, whatever is written to it meanwhile. Keeps its write-ahead log growing until it is closed. */
export type PinnedDatabase = {
  /**
   * Write it to a new file, for its owner alone.
   *
   * @param progress told of the share that is copied, from 0 to 1
   */
  readonly copyTo: (file: string, progress?: (share: number) => void) => Promise<void>;
  readonly close: () => void;
};

/** Pages that are copied before others have a turn: 4 MB. */
const pagesAtOnce = 1024;

/** Opens a read transaction on a database that others go on writing to. */
export function pinSqlite(file: string): PinnedDatabase {
  const database = new Database(file, { readonly: true, fileMustExist: true });
  // The backup runs within the transaction: without one it would begin anew whenever another process commits.
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
 * Writes a consistent copy of a database, while others use the database (SQLite's online backup). It is flushed to the disk before it
 * gets its name, so that a file of that name is always a whole copy.
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

/** A file that uses no write-ahead log can be read by a connection that writes nothing beside it. */
function makeSelfContained(file: string): void {
  const copy = new Database(file);
  copy.pragma("journal_mode = delete");
  copy.close();
}
