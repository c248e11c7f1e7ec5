import { fstat, open, read } from "node:fs";
import { stat } from "node:fs/promises";
import { promisify } from "node:util";

/** The first bytes of a database file. Source: SQLite, "Database File Format", section 1.3. */
const magic = "SQLite format 3\0";

type Opened = { readonly descriptor: number; readonly file: string };

/**
 * Files that were looked into, by path. They are never closed: the system takes all of a process's locks on a file with the first
 * descriptor of it that the process closes, those of SQLite too. Another program would then take the database for one that nobody
 * uses, and delete the write-ahead log with what was committed last. Source: SQLite, "How To Corrupt An SQLite Database File",
 * section 2.2.
 */
const opened = new Map<string, Opened>();

/** True if the file begins as a database does. A connection may have its pages in memory and not notice. */
export async function isSqlite(path: string): Promise<boolean> {
  const { descriptor } = await openedAt(path);
  const { buffer, bytesRead } = await promisify(read)(
    descriptor,
    Buffer.alloc(magic.length),
    0,
    magic.length,
    0,
  );
  return bytesRead === magic.length && buffer.toString("latin1") === magic;
}

async function openedAt(path: string): Promise<Opened> {
  const file = nameOf(await stat(path));
  const known = opened.get(path);
  if (known?.file === file) return known;
  const descriptor = await promisify(open)(path, "r");
  const found = { descriptor, file: nameOf(await promisify(fstat)(descriptor)) };
  opened.set(path, found);
  return found;
}

/** Identifies a file, so that another one at the same path is noticed. */
const nameOf = ({ dev, ino }: { readonly dev: number; readonly ino: number }): string => `${dev}:${ino}`;
