import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { openSqliteRegistryAudit } from "@cadastre/store/registry";
import type { Config } from "../config.ts";
import { DataError } from "../data/data-error.ts";
import { type DataFolder, openDataFolder } from "../data/data-folder.ts";
import { markerName, markerOf, type PartsMarker, readMarker, writeMarker } from "../delivery/parts-place.ts";
import { fileReason, isFileError } from "../file-error.ts";
import { partsName, smallFiles } from "./backup.ts";
import { copyFile, hashFile } from "./copy-file.ts";
import { lockExclusively } from "./folder-use.ts";
import { type BackedUpFile, type BackupManifest, listFiles, readBackupManifest } from "./manifest.ts";
import {
  beginSwap,
  finishRestore,
  freeName,
  isRestorePending,
  partsElsewhere,
  prepareStaging,
  type RestoredEntry,
  restoredFolders,
  stagingFolders,
} from "./swap.ts";

type Observer = {
  readonly progress: (bytes: number, files: number) => void;
  /** Called at each step, so that tests can kill the process there. */
  readonly at: (point: string) => void;
};

export type RestoreOptions = Partial<Observer> & {
  /** True to move existing data aside. Otherwise a folder with data is refused. */
  readonly replace?: boolean | undefined;
};

export type RestoreReport = {
  readonly manifest: BackupManifest;
  /** Folder that the data folder's existing data was moved to, without its parts; undefined if there was none. */
  readonly replaced: string | undefined;
  /** Folder that the existing parts were moved to; undefined if there were none. */
  readonly replacedParts: string | undefined;
};

/**
 * Restores the data folder from a backup. First every file is copied to a staging folder and verified, then all are renamed into place.
 * If it is interrupted in the first step, the data is unchanged; in the second step, the next program that uses the folder finishes the
 * restore. No data is deleted.
 *
 * @throws {DataError}
 */
export async function restoreBackup(
  backup: string,
  { dataFolder, partsFolder }: Pick<Config, "dataFolder" | "partsFolder">,
  { replace = false, progress = () => {}, at = () => {} }: RestoreOptions = {},
): Promise<RestoreReport> {
  const folder = await openDataFolder(dataFolder);
  const config = { partsFolder };
  const lock = lockExclusively(folder);
  try {
    const manifest = await readBackupManifest(backup);
    const finished = isRestorePending(folder) ? await finishRestore(folder, config, at) : undefined;
    if (finished?.backup === manifest.sha256)
      return report(manifest, restoredFolders(folder, config), finished.replaced);
    const entries = entriesOf(folder);
    const places = restoredFolders(folder, config);
    const present = entries.filter(
      ({ root, name }) => name !== markerName && existsSync(join(places[root], name)),
    );
    if (present.length > 0 && !replace)
      throw new DataError(
        `${folder.path} holds data already, such as ${present[0]?.name}: set CADASTRE_DATA to another folder, or use --replace, which moves that data aside`,
      );
    const staging = stagingFolders(places);
    await prepareStaging(staging);
    await stage(resolve(backup), manifest, staging, { progress, at });
    await stageMarker(staging, places, folder);
    const replaced = freeName(places, `replaced-${new Date().toISOString().replaceAll(/[-:]|\.\d+/g, "")}`);
    const puts = ({ root, name }: { root: "data" | "parts"; name: string }) =>
      existsSync(join(staging[root], name));
    const all = entries.map((entry) => ({ ...entry, puts: puts(entry) }));
    at("staged");
    await beginSwap(folder, {
      version: 1,
      replaced,
      backup: manifest.sha256,
      parts: partsElsewhere(config),
      entries: all,
    });
    at("begun");
    await finishRestore(folder, config, at);
    return report(manifest, places, replaced);
  } finally {
    lock.release();
  }
}

const report = (
  manifest: BackupManifest,
  places: ReturnType<typeof restoredFolders>,
  replaced: string,
): RestoreReport => ({
  manifest,
  replaced: ifExists(join(places.data, replaced)),
  replacedParts: ifExists(join(places.parts, replaced)),
});

const ifExists = (path: string): string | undefined => (existsSync(path) ? path : undefined);

/** Returns the files and folders that a restore puts in place or moves aside. */
function entriesOf(folder: DataFolder): readonly Omit<RestoredEntry, "puts">[] {
  const databases = [folder.database, folder.registry].flatMap((file) =>
    ["", "-wal", "-shm"].map((suffix) => basename(file) + suffix),
  );
  const files = smallFiles.map((name) => basename(folder[name]));
  return [
    ...[...databases, ...files].map((name) => ({ root: "data" as const, name })),
    ...["parts", "staging", markerName].map((name) => ({ root: "parts" as const, name })),
  ];
}

/**
 * Stages the marker file that says which registry the folder of parts belongs to.
 *
 * @throws {DataError} if the folder belongs to a registry other than the restored and the replaced one
 */
async function stageMarker(
  staging: ReturnType<typeof stagingFolders>,
  places: ReturnType<typeof restoredFolders>,
  folder: DataFolder,
): Promise<void> {
  const restored = await partsMarkerOf(join(staging.data, basename(folder.registry)));
  const marker = await readMarker(places.parts);
  const known = [restored, await partsMarkerOf(folder.registry)].map((own) => own?.registry);
  if (marker !== undefined && !known.includes(marker.registry))
    throw new DataError(
      `${places.parts} holds the parts of another registry (${markerName}): set CADASTRE_PARTS to another folder; nothing was restored`,
    );
  // Registries of earlier versions have no id.
  if (restored !== undefined) await writeMarker(staging.parts, restored);
}

/** Returns the marker of a registry's folder of parts. Undefined if the registry has no id, does not exist or cannot be read. */
async function partsMarkerOf(file: string): Promise<PartsMarker | undefined> {
  try {
    const audit = openSqliteRegistryAudit(file);
    try {
      return await markerOf(audit);
    } finally {
      await audit.close();
    }
  } catch {
    return undefined;
  }
}

async function stage(
  backup: string,
  { files }: BackupManifest,
  staging: ReturnType<typeof stagingFolders>,
  { progress, at }: Observer,
): Promise<void> {
  let [staged, bytes] = [0, 0];
  for await (const file of listFiles(backup)) {
    if ("missing" in file) continue;
    at(`stage ${file.path}`);
    const to = file.path.startsWith(`${partsName}/`)
      ? join(staging.parts, file.path.slice(partsName.length + 1))
      : join(staging.data, file.path);
    await mkdir(dirname(to), { recursive: true, mode: 0o700 });
    requireSame(backup, file, await copyFile(join(backup, file.path), to).catch(asMissing(backup, file)));
    bytes += file.bytes;
    progress(bytes, ++staged);
  }
  if (staged !== files)
    throw new DataError(`${backup} lists ${staged} files instead of ${files}: use another backup`);
}

/**
 * Verifies every file of a backup.
 *
 * @throws {DataError} names the first file that is damaged or missing
 */
export async function verifyBackup(backup: string): Promise<BackupManifest> {
  const manifest = await readBackupManifest(backup);
  for await (const file of listFiles(backup))
    if (!("missing" in file))
      requireSame(backup, file, await hashFile(join(backup, file.path)).catch(asMissing(backup, file)));
  return manifest;
}

function requireSame(
  backup: string,
  file: BackedUpFile,
  found: Pick<BackedUpFile, "bytes" | "sha256">,
): void {
  if (found.bytes !== file.bytes || found.sha256 !== file.sha256)
    throw new DataError(
      `${join(backup, file.path)} has changed since the backup: use another backup; nothing was restored`,
    );
}

const asMissing =
  (backup: string, { path }: BackedUpFile) =>
  (cause: NodeJS.ErrnoException): never => {
    const file = join(backup, path);
    // If a folder is in place of the file, reading it fails with an error that has no path.
    const isOfBackup = cause.path === file || cause.code === "EISDIR";
    if (!isFileError(cause) || !isOfBackup) throw cause;
    const fault = cause.code === "ENOENT" ? "is missing" : `cannot be read: ${fileReason(cause)}`;
    throw new DataError(`${file} ${fault}: use another backup; nothing was restored`, { cause });
  };
