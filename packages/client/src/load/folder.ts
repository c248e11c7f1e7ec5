import { cp, lstat, mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { ManifestError, readManifest, sha256 } from "@cadastre/manifest";
import { ClientError } from "../errors.ts";
import { onDisk, readManifestFile, syncFolder, unlessMissing } from "../fetch/disk.ts";
import { manifestFile, ownStaging } from "../fetch/staging.ts";
import { type LedgerEntry, lastOf, linkOf, standingAmong, streamOf } from "./ledger.ts";
import type { LoadableDelivery, LoadTarget } from "./target.ts";

/**
 * Opens a folder as a target. Each delivery becomes a subfolder, which appears complete in one step. The manifests in them are the ledger.
 */
export async function openFolder(folder: string): Promise<LoadTarget> {
  const staging = join(folder, ownStaging);
  await requireFolder(folder);
  await onDisk(folder, () => mkdir(staging, { recursive: true }));
  const standing: LoadTarget["standing"] = async (delivery) => {
    const entries = await onDisk(folder, () => entriesOf(folder, streamOf(delivery.manifest)));
    const found = standingAmong(delivery, entries);
    const place = join(folder, delivery.manifest.deliveryId);
    const other = await onDisk(place, () => lstat(place).catch(unlessMissing));
    if (found === "new" && other !== undefined) throw new ClientError("file_occupied", { file: place });
    return found;
  };
  return {
    staging,
    requireFree: async () => {},
    standing,
    load: async (delivery) => {
      if ((await standing(delivery)) === "done") return "done";
      const place = join(folder, delivery.manifest.deliveryId);
      await onDisk(place, async () => {
        try {
          await rename(delivery.folder, place);
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code !== "EXDEV") throw error;
          await rename(await copyInto(staging, delivery), place);
        }
        await syncFolder(folder);
      });
      return "new";
    },
    last: async (subscription) => {
      const last = lastOf(await onDisk(folder, () => entriesOf(folder, subscription)));
      return last && linkOf(last);
    },
    close: async () => {},
  };
}

/** @throws {ClientError} `target_invalid` if the path is that of a file */
export async function requireFolder(path: string): Promise<void> {
  const found = await onDisk(path, () => stat(path).catch(unlessMissing));
  if (found !== undefined && !found.isDirectory())
    throw new ClientError("target_invalid", { reason: `${path} is a file` });
}

/** Copies a delivery from another file system to that of the target and flushes it, so that a rename completes the load. */
async function copyInto(staging: string, { folder, manifest }: LoadableDelivery): Promise<string> {
  const copy = join(staging, `${manifest.deliveryId}.copy`);
  await rm(copy, { recursive: true, force: true });
  await cp(folder, copy, { recursive: true });
  for (const name of await readdir(copy)) {
    const handle = await open(join(copy, name), "r");
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  }
  await syncFolder(copy);
  return copy;
}

async function entriesOf(folder: string, stream: string): Promise<readonly LedgerEntry[]> {
  const entries: LedgerEntry[] = [];
  for (const child of await readdir(folder, { withFileTypes: true })) {
    if (!child.isDirectory() || child.name.startsWith(".")) continue;
    const entry = await entryOf(join(folder, child.name, manifestFile), stream);
    if (entry !== undefined) entries.push(entry);
  }
  return entries;
}

async function entryOf(file: string, stream: string): Promise<LedgerEntry | undefined> {
  try {
    const bytes = await readManifestFile(file);
    const manifest = readManifest(bytes);
    if (streamOf(manifest) !== stream) return undefined;
    const { generation, sequence } = manifest;
    return { generation, sequence, sha256: await sha256(bytes), manifest: bytes.toString("utf8") };
  } catch (error) {
    // Other files in the folder are not this program's.
    if (error instanceof ManifestError || (error as NodeJS.ErrnoException).code === "ENOENT")
      return undefined;
    throw error;
  }
}
