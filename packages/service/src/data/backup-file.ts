import { mkdir, stat, statfs } from "node:fs/promises";
import { basename, join } from "node:path";
import { backupSqlite } from "@cadastre/store/sqlite";
import { DataError } from "./data-error.ts";
import type { DataFolder } from "./data-folder.ts";

/**
 * Copies a database of the folder before it is migrated, to `backups/listings-before-1-20260102T030405678Z.sqlite`. Copies are never
 * deleted.
 *
 * @param version number of the catalog that it is migrated to
 * @throws {DataError} if there is no room for the copy, or it cannot be written
 */
export async function backUp(
  folder: DataFolder,
  database: string,
  version: number,
  say: (line: string) => void,
): Promise<void> {
  const time = new Date().toISOString().replaceAll(/[-:.]/g, "");
  const copy = join(folder.backups, `${basename(database, ".sqlite")}-before-${version}-${time}.sqlite`);
  try {
    await mkdir(folder.backups, { recursive: true, mode: 0o700 });
    await requireRoom(folder.backups, database);
    say(`copying ${database} to ${copy}`);
    await backupSqlite(database, copy);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new DataError(
      `${database} is not migrated, because it cannot be copied to ${folder.backups}: free space or correct the rights there, and start again (${reason})`,
      { cause },
    );
  }
}

/** Checks the free space before copying, so that a copy that does not fit does not fill the disk. @throws {Error} */
async function requireRoom(path: string, database: string): Promise<void> {
  const [{ size }, { bavail, bsize }] = await Promise.all([stat(database), statfs(path)]);
  const free = bavail * bsize;
  if (free < size) throw new Error(`the copy takes ${megabytes(size)}, and ${megabytes(free)} are free`);
}

const megabytes = (bytes: number): string => `${Math.ceil(bytes / 1e6).toLocaleString("en-US")} MB`;
