import { cp, lstat, mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { ClientError } from "../errors.ts";
import { onDisk, syncFolder, unlessMissing } from "../fetch/disk.ts";
import type { VerifiedManifest } from "../fetch/manifest.ts";
import { ownStaging } from "../fetch/staging.ts";
import { type FolderEntry, faultyPart, lacksManifest, lastIntact, readLedger } from "./folder-ledger.ts";
import { pointTo } from "./folder-pointer.ts";
import { linkOf, standingAmong, streamOf } from "./ledger.ts";
import { purgeFolder } from "./purge-folder.ts";
import type { LoadableDelivery, LoadState, LoadTarget } from "./target.ts";

/**
 * Opens a folder as a target. Each delivery becomes a subfolder, which appears complete in one step. The manifests in them are the ledger.
 */
export async function openFolder(folder: string): Promise<LoadTarget> {
  const staging = join(folder, ownStaging);
  await requireFolder(folder);
  await onDisk(folder, () => mkdir(staging, { recursive: true }));
  const standing = (delivery: VerifiedManifest) =>
    onDisk(folder, async () => {
      const found = await standingIn(folder, delivery);
      // The run that loaded it may have been interrupted before this.
      if (found === "done") await pointTo(folder, delivery, join(folder, delivery.manifest.deliveryId));
      return found;
    });
  return {
    staging,
    folder,
    requireFree: async () => {},
    standing,
    load: async (delivery) => {
      const before = await standing(delivery);
      if (before !== "new") return { standing: before, rowsBefore: 0 };
      const place = join(folder, delivery.manifest.deliveryId);
      await onDisk(place, async () => {
        try {
          await rename(delivery.folder, place);
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code !== "EXDEV") throw error;
          await rename(await copyInto(staging, delivery), place);
        }
        await syncFolder(folder);
        await pointTo(folder, delivery, place);
      });
      return { standing: before, rowsBefore: 0 };
    },
    last: (subscription) =>
      onDisk(folder, async () => {
        const { entries, hasUnreadable } = await readLedger(folder);
        const copy = entries.filter(({ stream }) => stream === subscription);
        const last = await lastIntact(copy, hasUnreadable);
        if (last === undefined) return undefined;
        const link = linkOf(last);
        // The run that loaded it may have been interrupted before this.
        await pointTo(folder, link, last.place);
        return link;
      }),
    requireIntact: async () => {},
    purge: (subscription) => onDisk(folder, () => purgeFolder(folder, subscription)),
    close: async () => {},
  };
}

/** @throws {ClientError} `target_invalid` if the path is that of a file */
export async function requireFolder(path: string): Promise<void> {
  const found = await onDisk(path, () => stat(path).catch(unlessMissing));
  if (found !== undefined && !found.isDirectory())
    throw new ClientError("target_invalid", { reason: `${path} is a file` });
}

async function standingIn(folder: string, delivery: VerifiedManifest): Promise<LoadState> {
  const { manifest } = delivery;
  const place = join(folder, manifest.deliveryId);
  const { entries } = await readLedger(folder);
  const stream = entries.filter((entry) => entry.stream === streamOf(manifest));
  if (await lacksManifest(place, manifest)) {
    const isBefore = ({ generation, sequence }: FolderEntry) =>
      generation < manifest.generation ||
      (generation === manifest.generation && sequence < manifest.sequence);
    standingAmong(delivery, stream.filter(isBefore));
    return "damaged";
  }
  const found = standingAmong(delivery, stream);
  const other = await lstat(place).catch(unlessMissing);
  if (found === "done")
    return other !== undefined && (await faultyPart(place, manifest)) !== undefined ? "damaged" : "done";
  if (other !== undefined) throw new ClientError("file_occupied", { file: place });
  return found;
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
