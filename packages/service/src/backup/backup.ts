import { existsSync } from "node:fs";
import { mkdir, open, readdir, realpath, rename, rm } from "node:fs/promises";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { type AuditedPart, partPath } from "@cadastre/delivery";
import { type PinnedDatabase, pinSqlite } from "@cadastre/store/sqlite";
import type { Config } from "../config.ts";
import { DataError } from "../data/data-error.ts";
import { type DataFolder, dataFolderAt } from "../data/data-folder.ts";
import { openRegistryAudit } from "../data/registry.ts";
import { readSecrets } from "../data/secrets.ts";
import { partsRoot } from "../delivery/parts-place.ts";
import { fileReason, isFileError } from "../file-error.ts";
import { copyFile, flushFolder, hashFile } from "./copy-file.ts";
import { type BackedUpFile, type ListedFile, listName, type MissingPart, writeManifest } from "./manifest.ts";

/** Name of the folder of parts in a backup: the default name in a data folder. */
export const partsName = "exports";

/** Small files of the data folder. They are copied after the registry that depends on them. */
export const smallFiles = ["secrets", "issuer", "publicKeys", "signingKeys", "demo"] as const;

export type BackupReport = {
  readonly files: number;
  readonly bytes: number;
  readonly missing: readonly MissingPart[];
};

/** Called with the bytes and files that were copied so far. */
export type BackupProgress = (bytes: number, files: number) => void;

/** Maximum number of missing parts that a report names. */
const mostNamed = 20;

type Source = { readonly folder: DataFolder; readonly config: Pick<Config, "partsFolder" | "partsBucket"> };

/**
 * Copies the data folder to a new folder while the service runs. Both databases are copied as of the same moment. Every part that the
 * copied registry lists is copied, or named as missing. The new folder gets its name when it is complete.
 *
 * @throws {DataError}
 */
export async function makeBackup(
  { folder, config }: Source,
  target: string,
  progress: BackupProgress = () => {},
): Promise<BackupReport> {
  const places = [folder.path, ...(config.partsFolder === undefined ? [] : [config.partsFolder])];
  const absolute = resolve(target);
  const partial = `${absolute}.partial`;
  try {
    await requireNew(target, places);
    await makePartial(partial);
    try {
      const report = await fill(partial, { folder, config }, progress);
      await rename(partial, absolute);
      await flushFolder(dirname(partial));
      return report;
    } catch (error) {
      await rm(partial, { recursive: true, force: true });
      throw error;
    }
  } catch (error) {
    const reason = targetReason(error, absolute);
    if (reason === undefined) throw error;
    throw new DataError(`the backup cannot be written to ${absolute}: ${reason}; name another folder`, {
      cause: error,
    });
  }
}

/** Codes of a full disk. The service's own files are only read, and an error of a write has no path. */
const noRoom: ReadonlySet<string> = new Set(["ENOSPC", "EDQUOT", "EFBIG"]);

/** Returns the reason why the target cannot be written. Undefined for other errors, such as one of a file that is backed up. */
function targetReason(error: unknown, target: string): string | undefined {
  if (error instanceof CopyError) return error.message;
  if (!isFileError(error)) return undefined;
  const { path = "", code } = error;
  if (noRoom.has(code)) return fileReason(error);
  const isOfTarget = [target, `${target}.partial`].some((own) => path === own || path.startsWith(own + sep));
  // A folder above the target is created if it does not exist.
  const isAbove = path === sep || (path !== "" && target.startsWith(path + sep));
  if (!isOfTarget && !isAbove) return undefined;
  if (path === target && code === "ENOTDIR") return `it is a file (${code})`;
  return isAbove && code === "EEXIST" ? `${path} is a file (${code})` : fileReason(error);
}

/** Error of SQLite while it writes the copy of a database. */
class CopyError extends Error {
  override readonly name = "CopyError";
}

/** Reasons why SQLite cannot write a copy, by its error code. */
const copyReasons: ReadonlyMap<string, string> = new Map([
  ["SQLITE_FULL", "the disk is full"],
  ["SQLITE_CANTOPEN", "the rights are missing"],
  ["SQLITE_READONLY", "the rights are missing"],
  ["SQLITE_PERM", "the rights are missing"],
  ["SQLITE_IOERR_WRITE", "the disk cannot be written"],
  ["SQLITE_IOERR_FSYNC", "the disk cannot be written"],
  ["SQLITE_IOERR_TRUNCATE", "the disk cannot be written"],
]);

/** @throws {CopyError} if the copy cannot be written; errors of the copied database are rethrown unchanged */
async function copyDatabase(database: PinnedDatabase, file: string): Promise<void> {
  try {
    await database.copyTo(file);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    const reason = copyReasons.get(code);
    if (reason === undefined) throw error;
    throw new CopyError(`${reason} (${code})`, { cause: error });
  }
}

async function fill(partial: string, source: Source, progress: BackupProgress): Promise<BackupReport> {
  const { folder, config } = source;
  const copy = dataFolderAt(partial, undefined, folder.secretSources);
  const list = await open(join(partial, listName), "wx", 0o600);
  const total = { files: 0, bytes: 0, missing: 0 };
  const missing: MissingPart[] = [];
  const add = async (file: ListedFile) => {
    await list.appendFile(`${JSON.stringify(file)}\n`);
    if ("missing" in file) {
      total.missing++;
      if (missing.length < mostNamed) missing.push(file);
    } else {
      total.files++;
      total.bytes += file.bytes;
    }
    progress(total.bytes, total.files);
  };
  try {
    for await (const file of copyDatabases(folder, copy)) await add(file);
    for (const name of smallFiles)
      if (existsSync(folder[name]))
        await add({ path: basename(copy[name]), ...(await copyFile(folder[name], copy[name])) });
    // Throws unless the secrets belong to the copied registry.
    if (existsSync(copy.secrets)) await readSecrets(copy);
    if (config.partsBucket === undefined)
      for await (const file of copyParts(partsRoot(config, folder), copy)) await add(file);
    await list.sync();
  } finally {
    await list.close();
  }
  const parts = config.partsBucket === undefined ? "folder" : "bucket";
  await writeManifest(partial, { made: new Date().toISOString(), ...total, parts });
  await flushFolder(partial);
  return { files: total.files, bytes: total.bytes, missing };
}

/** Copies both databases as of the same moment, because the registry refers to checkpoints of the listings. */
async function* copyDatabases(folder: DataFolder, copy: DataFolder): AsyncGenerator<BackedUpFile> {
  const pinned: (readonly [file: string, database: PinnedDatabase])[] = [];
  try {
    for (const name of ["registry", "database"] as const)
      if (existsSync(folder[name])) pinned.push([copy[name], pinSqlite(folder[name])]);
    for (const [file, database] of pinned) {
      await copyDatabase(database, file);
      yield { path: basename(file), ...(await hashFile(file)) };
    }
  } finally {
    for (const [, database] of pinned) database.close();
  }
}

async function* copyParts(parts: string, copy: DataFolder): AsyncGenerator<ListedFile> {
  if (!existsSync(copy.registry)) return;
  const audit = await openRegistryAudit(copy);
  try {
    for await (const part of audit.parts()) yield await copyPart(part, parts, copy);
  } finally {
    await audit.close();
  }
}

async function copyPart(
  { sha256, byteLength, delivery }: AuditedPart,
  parts: string,
  copy: DataFolder,
): Promise<ListedFile> {
  const [from, to] = [join(parts, partPath(sha256)), join(copy.path, partsName, partPath(sha256))];
  const path = relative(copy.path, to).split(sep).join("/");
  if (!existsSync(from)) return { path, missing: "absent", delivery };
  const copied = await copyFile(from, to);
  if (copied.sha256 === sha256 && copied.bytes === byteLength) return { path, ...copied };
  await rm(to);
  return { path, missing: "damaged", delivery };
}

/** @throws {DataError} if `target` is not new or empty, or lies in a folder that is backed up */
async function requireNew(target: string, sources: readonly string[]): Promise<void> {
  const absolute = resolve(target);
  await mkdir(dirname(absolute), { recursive: true });
  const parent = await realpath(dirname(absolute));
  for (const source of sources) {
    const real = existsSync(source) ? await realpath(source) : resolve(source);
    if (`${join(parent, basename(absolute))}${sep}`.startsWith(`${real}${sep}`))
      throw new DataError(`${absolute} lies in ${real}, which is backed up: choose a folder outside of it`);
  }
  const entries = existsSync(absolute) ? await readdir(absolute) : [];
  if (entries.length > 0)
    throw new DataError(`${absolute} is not empty: choose a folder that does not exist or is empty`);
}

async function makePartial(partial: string): Promise<void> {
  await mkdir(partial, { mode: 0o700 }).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code !== "EEXIST") throw cause;
    throw new DataError(
      `${partial} exists: another backup is running, or one was interrupted; if none is running, delete it`,
      { cause },
    );
  });
}
