import { type FileHandle, lstat, mkdir, open, readdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { DeliveryError } from "../errors.ts";
import type { Claim } from "../ledger/queue.ts";
import type { Digest } from "./digest.ts";
import { isAbsent, onFiles, onPart } from "./fault.ts";
import type { PartStore } from "./part-store.ts";
import { heldPart, sendFile } from "./send.ts";
import { VerifiedParts } from "./verified-parts.ts";
import { heldLength, PartCheck, verified } from "./verify.ts";

const sha256Text = /^[0-9a-f]{64}$/;

/** Returns the path of a part below the folder of a part store: `parts/<two digits>/<sha256>`. */
export function partPath(sha256: string): string {
  if (!sha256Text.test(sha256)) throw new RangeError("a part lies under its SHA-256");
  return join("parts", sha256.slice(0, 2), sha256);
}

/** Mode of folders: only their owner may enter. */
const mode = 0o700;

/** Content of a probe, long enough that a full disk has no room for it. */
const probed = "cadastre ".repeat(512);

/** Name of a staging folder: a claim's id (a delivery's UUID, or the SHA-256 of damaged bytes) and its fence. No other name is touched. */
const stagedName = /^[0-9a-f][0-9a-f-]{35,63}\.\d+$/;

/**
 * Stores parts in a folder of this machine, or of a disk that all workers share. A part is written and flushed under `staging`, then
 * renamed to `parts/<two digits>/<sha256>`, so that a part is never there incompletely.
 */
export function folderParts(folder: string): PartStore {
  const known = new VerifiedParts();
  const [staging, parts] = [join(folder, "staging"), join(folder, "parts")];
  const stagedAt = ({ id, fence }: Claim) => join(staging, `${id}.${fence}`);
  const placeOf = (sha256: string) => join(folder, partPath(sha256));
  const put: PartStore["put"] = (file, { sha256 }) =>
    onFiles(async () => {
      const place = placeOf(sha256);
      await flush(file);
      await makeShard(dirname(place));
      await rename(file, place);
      await flush(dirname(place));
    });
  return {
    put,
    replace: async (file, digest) => {
      // A rename cannot replace a folder with a file.
      const place = placeOf(digest.sha256);
      await onFiles(async () => (await isFolder(place)) && rm(place, { recursive: true }));
      await put(file, digest);
    },
    probe: () =>
      onFiles(async () => {
        for (const place of [staging, parts]) await mkdir(place, { recursive: true, mode });
        const file = join(parts, ".probe");
        try {
          await writeFile(file, probed, { mode: 0o600 });
        } finally {
          await rm(file, { force: true });
        }
      }),
    stage: (claim) =>
      onFiles(async () => {
        const own = stagedAt(claim);
        await mkdir(own, { recursive: true, mode });
        return own;
      }),
    open: (part) =>
      onPart(part.sha256, async () => {
        const { sha256, byteLength } = part;
        const handle = await open(placeOf(sha256), "r");
        try {
          const { size } = await handle.stat();
          if (size !== byteLength) throw new DeliveryError("part_missing", `${sha256} has ${size} bytes`);
          if (byteLength <= heldLength) return heldPart(await readPart(handle, part));
        } catch (error) {
          await handle.close();
          throw error;
        }
        return {
          byteLength,
          stream: () => verified(handle.createReadStream({ highWaterMark: 1 << 18 }), part),
          sendTo: (to, range, gone) =>
            onPart(sha256, () => sendFile({ handle, part, verified: known }, { to, range, gone })),
        };
      }),
    remove: (sha256) => onFiles(async () => rm(placeOf(sha256), { force: true })),
    sweep: (held) =>
      onFiles(async () => {
        const own = (await namesIn(staging)).filter((name) => stagedName.test(name));
        const staged = own.map((name) => join(staging, name));
        // Claims are read after the folders: a claim exists before its folder does, so the folder of a new claim is never removed.
        const kept = new Set((await held()).map(stagedAt));
        const left = staged.filter((place) => !kept.has(place));
        for (const place of left) await rm(place, { recursive: true, force: true });
        return left.length;
      }),
  };
}

async function makeShard(shard: string): Promise<void> {
  // `mkdir` returns the first folder that it created, if any. Each new folder's name is in its parent, which is flushed.
  const made = await mkdir(shard, { recursive: true, mode });
  if (made === undefined) return;
  for (let at = shard; at.length >= made.length; at = dirname(at)) await flush(dirname(at));
}

/** Flushes the content of a file, or the entries of a folder, to the disk. */
async function flush(path: string): Promise<void> {
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Reads a short part, compares it with its hash, and closes its file. */
async function readPart(handle: FileHandle, part: Digest): Promise<Buffer> {
  const bytes = Buffer.allocUnsafeSlow(part.byteLength);
  const { bytesRead } = await handle.read(bytes, 0, bytes.length, 0);
  const check = new PartCheck(part);
  check.add(bytes.subarray(0, bytesRead));
  check.end();
  await handle.close();
  return bytes;
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await lstat(path)).isDirectory();
  } catch (error) {
    if (isAbsent(error)) return false;
    throw error;
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
