import { join, resolve } from "node:path";
import { databaseName } from "./data-folder.ts";

/** The data folder or a file in it is not as it must be. The message names it and says what to do. */
export class DataError extends Error {
  override readonly name = "DataError";
}

const noRights =
  "cannot be read and written: give the user who starts the service the rights, or set CADASTRE_DATA to another folder";
const noDatabase =
  "is damaged or not a database: move it away and start again, which prepares sample listings anew";
const noFolder = "is not a folder: set CADASTRE_DATA to the path of a folder";
const noRoom = "cannot be written, for the disk is full: make room, or set CADASTRE_DATA to another folder";
const inUse = "is in use: stop the program that uses it";

/** What to say of a path, by the error code of the system or of SQLite. */
const remedies: ReadonlyMap<string, string> = new Map([
  ["EACCES", noRights],
  ["EPERM", noRights],
  ["EROFS", noRights],
  ["EEXIST", noFolder],
  ["ENOTDIR", noFolder],
  ["ENOSPC", noRoom],
  ["SQLITE_CANTOPEN", noRights],
  ["SQLITE_READONLY", noRights],
  ["SQLITE_PERM", noRights],
  ["SQLITE_NOTADB", noDatabase],
  ["SQLITE_CORRUPT", noDatabase],
  ["SQLITE_FULL", noRoom],
  ["SQLITE_BUSY", inUse],
]);

/** Base code of an extended one of SQLite: `SQLITE_CANTOPEN_ISDIR` → `SQLITE_CANTOPEN`. */
const baseOf = (code: string) => code.split("_", 2).join("_");

/**
 * Do `work` with the data folder at `path`.
 *
 * @throws {DataError} in place of an error of the system or of SQLite that an operator can put right.
 */
export async function withDataFolder<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw toDataError(error, resolve(path)) ?? error;
  }
}

function toDataError(error: unknown, folder: string): DataError | undefined {
  if (!(error instanceof Error && "code" in error && typeof error.code === "string")) return undefined;
  const remedy = remedies.get(error.code) ?? remedies.get(baseOf(error.code));
  if (remedy === undefined) return undefined;
  const known = "path" in error && typeof error.path === "string" ? error.path : folder;
  const path = error.code.startsWith("SQLITE_") ? join(folder, databaseName) : known;
  return new DataError(`${path} ${remedy} (${error.code})`, { cause: error });
}

/**
 * The content of a JSON file that the service has written. What is wrong with it is not quoted: it may hold secrets.
 *
 * @throws {DataError}
 */
export function parseDataFile<T>(file: string, text: string, parse: (text: string) => T): T {
  try {
    return parse(text);
  } catch (cause) {
    const fault = cause instanceof SyntaxError ? "is not JSON" : "does not hold what the service keeps in it";
    const remedy = "put back a copy of it, or move it away and start again, which makes a new one";
    throw new DataError(`${file} ${fault}: ${remedy}`, { cause });
  }
}
