import { open, rename, rm } from "node:fs/promises";
import Database from "better-sqlite3";

/** Pages that are copied before others have a turn. */
const pages = 2000;

/**
 * Copy a database, while it may be read and written: the copy is one state of it. It is written beside its name and renamed, so
 * that a file of that name is always a whole copy.
 *
 * @param onProgress told the share that is copied
 */
export async function copySqliteDatabase(
  file: string,
  copy: string,
  onProgress: (share: number) => void = () => {},
): Promise<void> {
  const partial = `${copy}.partial`;
  await rm(partial, { force: true });
  const database = new Database(file, { fileMustExist: true });
  try {
    await database.backup(partial, {
      progress: ({ totalPages, remainingPages }) => {
        onProgress(totalPages === 0 ? 0 : 1 - remainingPages / totalPages);
        return pages;
      },
    });
    await flush(partial);
    await rename(partial, copy);
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  } finally {
    database.close();
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
