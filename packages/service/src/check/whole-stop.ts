import { rm, stat } from "node:fs/promises";
import { z } from "zod";
import { type DataFolder, readIfExists, replaceFile } from "../data/data-folder.ts";

/** Left by a service that stops: when it last found its databases whole, and what their files were like when it had closed them. */
const wholeStop = z.object({ checked: z.int(), files: z.array(z.string()) });

/**
 * Returns the time of the last check that found the databases whole, in milliseconds, if their files are as the service left them that
 * noted it. Undefined otherwise: it was killed, or another program has written or copied them since. To be called before a database is
 * opened. The note is deleted, so that a service which is killed leaves none.
 */
export async function takeWholeStop(folder: DataFolder): Promise<number | undefined> {
  if (folder.postgres !== undefined) return undefined;
  try {
    const text = await readIfExists(folder.checked);
    if (text === undefined) return undefined;
    await rm(folder.checked);
    const noted = wholeStop.parse(JSON.parse(text));
    const files = await describeFiles(folder);
    return files.join() === noted.files.join() ? noted.checked : undefined;
  } catch {
    // Then the start waits for a check, as it does without a note.
    return undefined;
  }
}

/** Notes that a check found the databases whole. To be called when they have been closed. */
export async function noteWholeStop(folder: DataFolder, checked: number): Promise<void> {
  try {
    await replaceFile(folder.checked, JSON.stringify({ checked, files: await describeFiles(folder) }));
  } catch {
    // The disk may be full: the next start waits for a check.
  }
}

/** Describes the files of the databases. A file that was written, or replaced by a copy of itself, has another description. */
const describeFiles = ({ database, registry }: DataFolder): Promise<readonly string[]> =>
  Promise.all([database, `${database}-wal`, registry, `${registry}-wal`].map(describe));

async function describe(file: string): Promise<string> {
  const found = await stat(file, { bigint: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
  });
  if (found === undefined) return "missing";
  const { ino, size, mtimeNs, ctimeNs } = found;
  return [ino, size, mtimeNs, ctimeNs].join(" ");
}
