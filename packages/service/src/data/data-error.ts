import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { StoreError } from "@cadastre/store";
import { databaseName, registryName } from "./data-folder.ts";

/** Fault of the data folder or of a file in it. The message names the file and says what to do. */
export class DataError extends Error {
  override readonly name = "DataError";
}

const noRights =
  "cannot be read and written: give the user who starts the service the rights, or set CADASTRE_DATA to another folder";
const noDatabase =
  "is damaged or not a database: move it away and restore your last backup with `cadastre restore --replace <backup>`, or start with CADASTRE_LISTINGS=0 and ingest your listings again";
const noRegistry =
  "is damaged or not a database: run `cadastre restore --replace <backup>` with your last backup; without one, move it away and start again, which loses all keys and entitlements but the demo's";
const noFolder = "is not a folder: set CADASTRE_DATA to the path of a folder";
const noRoom = "cannot be written, for the disk is full: make room, or set CADASTRE_DATA to another folder";
const inUse = "is in use: stop the program that uses it";

type Remedies = ReadonlyMap<string, string>;

/** Ends of messages about a path, by the error code of the operating system or of SQLite. */
const remedies: Remedies = new Map([
  ["EACCES", noRights],
  ["EISDIR", noRights],
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

/** Replacements for errors of the registry. */
const registryRemedies: Remedies = new Map([
  ["SQLITE_NOTADB", noRegistry],
  ["SQLITE_CORRUPT", noRegistry],
]);

/** Returns the primary code of an extended SQLite error code: `SQLITE_CANTOPEN_ISDIR` → `SQLITE_CANTOPEN`. */
const baseOf = (code: string) => code.split("_", 2).join("_");

/**
 * Calls `work`, which uses the data folder at `path`.
 *
 * @throws {DataError} in place of an error of the operating system or of SQLite that the operator can fix
 */
export async function withDataFolder<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw toDataError(error, resolve(path)) ?? error;
  }
}

function toDataError(thrown: unknown, folder: string): DataError | undefined {
  const ofRegistry = thrown instanceof StoreError && thrown.code === "registry_unavailable";
  const error = ofRegistry ? thrown.cause : thrown;
  if (!(error instanceof Error && "code" in error && typeof error.code === "string")) return undefined;
  const base = baseOf(error.code);
  const remedy =
    (ofRegistry ? registryRemedies.get(base) : undefined) ?? remedies.get(error.code) ?? remedies.get(base);
  if (remedy === undefined) return undefined;
  const known = "path" in error && typeof error.path === "string" ? error.path : folder;
  const database = join(folder, ofRegistry ? registryName : databaseName);
  const path = error.code.startsWith("SQLITE_") ? database : known;
  return new DataError(`${path} ${remedy} (${error.code})`, { cause: error });
}

/** Usual remedy for a file that is missing or damaged. */
export const fromBackup = "copy it from your last backup";

/**
 * Parses a JSON file that the service has written. The error does not quote the content, which may have secrets.
 *
 * @throws {DataError}
 */
export function parseDataFile<T>(
  file: string,
  text: string,
  parse: (text: string) => T,
  remedy: string = fromBackup,
): T {
  try {
    return parse(text);
  } catch (cause) {
    // A syntax error quotes the text, so it is no cause.
    if (cause instanceof SyntaxError) throw new DataError(`${file} is not JSON: ${remedy}`);
    throw new DataError(`${file} does not hold what the service keeps in it: ${remedy}`, { cause });
  }
}

/**
 * Reads and parses a JSON file, which must exist.
 *
 * @throws {DataError}
 */
export async function readDataFile<T>(file: string, parse: (text: string) => T): Promise<T> {
  const text = await readFile(file, "utf8").catch((cause: NodeJS.ErrnoException) => {
    throw new DataError(`${file} cannot be read: ${fromBackup} (${cause.code})`, {
      cause,
    });
  });
  return parseDataFile(file, text, parse);
}
