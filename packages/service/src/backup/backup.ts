import { existsSync } from "node:fs";
import { mkdir, open, readdir, realpath, rename, rm } from "node:fs/promises";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { partPath } from "@cadastre/delivery";
import { type AuditedPart, openRegistryAudit } from "@cadastre/store/registry";
import { type PinnedDatabase, pinSqlite } from "@cadastre/store/sqlite";
import type { Config } from "../config.ts";
import { DataError } from "../data/data-error.ts";
import { type DataFolder, dataFolderAt } from "../data/data-folder.ts";
import { readSecrets } from "../data/secrets.ts";
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

/** Number of missing parts that a report names. */
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
  await requireNew(target, places);
  const partial = `${resolve(target)}.partial`;
  await makePartial(partial);
  try {
    const report = await fill(partial, { folder, config }, progress);
    await rename(partial, resolve(target));
    await flushFolder(dirname(partial));
    return report;
  } catch (error) {
    await rm(partial, { recursive: true, force: true });
    throw error;
  }
}

async function fill(partial: string, source: Source, progress: BackupProgress): Promise<BackupReport> {
  const { folder, config } = source;
  const copy = dataFolderAt(partial);
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
      for await (const file of copyParts(config.partsFolder ?? folder.exports, copy)) await add(file);
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
      await database.copyTo(file);
      yield { path: basename(file), ...(await hashFile(file)) };
    }
  } finally {
    for (const [, database] of pinned) database.close();
  }
}

async function* copyParts(parts: string, copy: DataFolder): AsyncGenerator<ListedFile> {
  if (!existsSync(copy.registry)) return;
  const audit = openRegistryAudit(copy.registry);
  try {
    for (const part of audit.parts()) yield await copyPart(part, parts, copy);
  } finally {
    audit.close();
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
