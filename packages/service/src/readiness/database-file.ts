import { fstat, open, read } from "node:fs";
import { stat } from "node:fs/promises";
import { promisify } from "node:util";

/** First bytes of a database file. Source: SQLite, "Database File Format", section 1.3. */
const magic = "SQLite format 3\0";

type Opened = { readonly descriptor: number; readonly file: string };

/**
 * Open files by path. They are never closed: when a process closes any descriptor of a file, the system releases all of the process's POSIX
 * locks on that file, including SQLite's. Another program would then believe that the database is unused, and delete the write-ahead log
 * with the latest commits. Source: SQLite, "How To Corrupt An SQLite Database File", section 2.2.
 */
const opened = new Map<string, Opened>();

/** True if the file has the header of a SQLite database. A query might not notice a damaged file, if its pages are cached in memory. */
export async function isSqlite(path: string): Promise<boolean> {
  const { descriptor } = await keptOpen(path);
  const { buffer, bytesRead } = await promisify(read)(
    descriptor,
    Buffer.alloc(magic.length),
    0,
    magic.length,
    0,
  );
  return bytesRead === magic.length && buffer.toString("latin1") === magic;
}

/** Returns the open file at the path, opened again only if the file was replaced. Never close it, see `opened`. */
async function keptOpen(path: string): Promise<Opened> {
  const file = fileIdentity(await stat(path));
  const known = opened.get(path);
  if (known?.file === file) return known;
  const descriptor = await promisify(open)(path, "r");
  const found = { descriptor, file: fileIdentity(await promisify(fstat)(descriptor)) };
  opened.set(path, found);
  return found;
}

/** Identifies a file by device and inode, so that a replaced file at the same path is noticed. */
const fileIdentity = ({ dev, ino }: { readonly dev: number; readonly ino: number }): string =>
  `${dev}:${ino}`;
