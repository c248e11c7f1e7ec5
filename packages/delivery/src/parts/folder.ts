import { type FileHandle, mkdir, open, readdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Claim } from "@cadastre/store/registry";
import { DeliveryError } from "../errors.ts";
import { isAbsent, onFiles } from "./fault.ts";
import { partPath } from "./part-path.ts";
import type { PartStore } from "./part-store.ts";
import { sendFile } from "./send.ts";

/** Its owner alone may enter. */
const mode = 0o700;

/**
 * Parts in a folder of this machine, or of a disk that all workers share: a part is written and flushed under `staging`, then
 * renamed to `parts/<two digits>/<sha256>`, so that half a part is never there.
 */
export function folderParts(folder: string): PartStore {
  const staging = join(folder, "staging");
  const stagedAt = ({ id, fence }: Claim) => join(staging, `${id}.${fence}`);
  const placeOf = (sha256: string) => join(folder, partPath(sha256));
  return {
    stage: (claim) =>
      onFiles(async () => {
        const own = stagedAt(claim);
        await mkdir(own, { recursive: true, mode });
        return own;
      }),
    put: (file, { sha256 }) =>
      onFiles(async () => {
        const place = placeOf(sha256);
        await flush(file);
        await makeShard(dirname(place));
        await rename(file, place);
        await flush(dirname(place));
      }),
    open: ({ sha256, byteLength }) =>
      onFiles(async () => {
        const handle = await openPart(placeOf(sha256));
        try {
          const { size } = await handle.stat();
          if (size !== byteLength) throw new DeliveryError("part_missing", `${sha256} has ${size} bytes`);
          return {
            byteLength,
            stream: () => handle.createReadStream({ highWaterMark: 1 << 18 }),
            sendTo: (to, gone) => onFiles(() => sendFile(handle, byteLength, to, gone)),
          };
        } catch (error) {
          await handle.close();
          throw error;
        }
      }),
    remove: (sha256) => onFiles(async () => rm(placeOf(sha256), { force: true })),
    sweep: (held) =>
      onFiles(async () => {
        const staged = (await namesIn(staging)).map((name) => join(staging, name));
        // Asked after the folders were read: a claim comes before its folder.
        const kept = new Set((await held()).map(stagedAt));
        const left = staged.filter((own) => !kept.has(own));
        for (const own of left) await rm(own, { recursive: true, force: true });
        return left.length;
      }),
  };
}

async function makeShard(shard: string): Promise<void> {
  // The first folder that was made, if any was: its name is in the one above it.
  const made = await mkdir(shard, { recursive: true, mode });
  if (made === undefined) return;
  for (let at = shard; at.length >= made.length; at = dirname(at)) await flush(dirname(at));
}

/** Have the disk keep what a file holds, or which files a folder has. */
async function flush(path: string): Promise<void> {
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function openPart(place: string): Promise<FileHandle> {
  try {
    return await open(place, "r");
  } catch (error) {
    throw isAbsent(error) ? new DeliveryError("part_missing", undefined, { cause: error }) : error;
  }
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isAbsent(error)) return [];
    throw error;
  }
}
