import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, statfs } from "node:fs/promises";
import { join } from "node:path";
import { DeliveryError, type PartStore, partPath } from "@cadastre/delivery";
import { z } from "zod";
import type { Config } from "../config.ts";
import { DataError } from "../data/data-error.ts";
import { type DataFolder, readIfExists, readOrCreate, replaceFile } from "../data/data-folder.ts";
import { type Registry, type ServiceAudit, withRegistryAudit } from "../data/registry.ts";
import type { BucketPlace } from "./bucket-place.ts";

/*
 * The registry records where its parts are: the id of a folder, or a bucket. So a node with another place refuses to start, and parts are never
 * divided between two places. A marker file in the folder has its id and names the registry. Without it, the mount point of a disk that is
 * not mounted would look like a folder whose parts are all lost.
 */

/** Name of the marker file. */
export const markerName = "cadastre-parts.json";

/** Name of the fingerprint of the place. */
const partsFingerprint = "parts";

/** Markers of earlier versions have no id of the folder. */
const schema = z.strictObject({ registry: z.string(), folder: z.string().optional() });

/** Content of a marker file. */
export type PartsMarker = z.output<typeof schema>;

/** The folder of parts of a registry. */
export type PartsPlace = {
  readonly root: string;
  /** True if the folder has the marker of the registry. */
  readonly isOwn: () => Promise<boolean>;
};

/** Returns the folder that parts are written to, or staged in if they are stored in a bucket. */
export const partsRoot = (
  { partsFolder }: Pick<Config, "partsFolder">,
  { exports }: Pick<DataFolder, "exports">,
): string => partsFolder ?? exports;

/** Returns the free bytes of the disk with the folder of parts; undefined if the parts are in a bucket. */
export async function freeBytesFor(
  config: Pick<Config, "partsFolder" | "partsBucket">,
  folder: Pick<DataFolder, "exports">,
): Promise<number | undefined> {
  if (config.partsBucket !== undefined) return undefined;
  const { bavail, bsize } = await statfs(partsRoot(config, folder));
  return bavail * bsize;
}

const textOf = (marker: PartsMarker): string => `${JSON.stringify(marker)}\n`;

/** Reads the marker of a folder. Its registry is empty if the marker is damaged. */
export async function readMarker(root: string): Promise<PartsMarker | undefined> {
  const text = await readIfExists(join(root, markerName));
  if (text === undefined) return undefined;
  try {
    return schema.parse(JSON.parse(text));
  } catch {
    return { registry: "" };
  }
}

/** Returns the marker that the folder of a registry's parts has. Undefined if the registry has no id. */
export async function markerOf(
  audit: Pick<ServiceAudit, "id" | "fingerprint">,
): Promise<PartsMarker | undefined> {
  const [registry, recorded] = [await audit.id(), await audit.fingerprint(partsFingerprint)];
  if (registry === undefined) return undefined;
  return recorded === undefined || isBucket(recorded) ? { registry } : { registry, folder: recorded };
}

/** Writes the marker, and replaces an existing one. */
export async function writeMarker(root: string, marker: PartsMarker): Promise<void> {
  await mkdir(root, { recursive: true, mode: 0o700 });
  await replaceFile(join(root, markerName), textOf(marker));
}

/** Makes a folder or a bucket the place of the registry's parts, whatever it was. Returns its name. */
export async function adoptPlace(
  config: Pick<Config, "partsFolder" | "partsBucket">,
  folder: DataFolder,
  { guards }: Guarded,
): Promise<string> {
  const { partsBucket } = config;
  const root = partsRoot(config, folder);
  const [id, place] = [randomUUID(), partsBucket && bucketName(partsBucket)];
  if (place === undefined) await writeMarker(root, { registry: await guards.id(), folder: id });
  await guards.replaceFingerprint(partsFingerprint, place ?? id);
  return place ?? root;
}

type Guarded = Pick<Registry, "guards">;

const bucketName = ({ bucket, prefix }: BucketPlace): string => `s3://${bucket}/${prefix}`;

/**
 * Requires that the parts of the registry are in a bucket, and records it.
 *
 * @throws {DataError} if they are in another place
 */
export async function claimBucket(place: BucketPlace, { guards }: Guarded): Promise<void> {
  const name = bucketName(place);
  const recorded = await guards.fingerprint(partsFingerprint, name);
  if (recorded === name) return;
  const where = isBucket(recorded) ? recorded : "a folder";
  throw new DataError(
    `${name} is not the bucket of this registry's parts, which are in ${where}: set CADASTRE_PARTS_BUCKET as on the other nodes. If you have moved the parts, stop the other nodes and run \`cadastre parts adopt\``,
  );
}

const isBucket = (recorded: string): boolean => recorded.startsWith("s3://");

/**
 * Returns the reason why a folder is not the registry's folder of parts. Undefined if it is, or can be claimed. A folder of an earlier
 * version has no marker; it is recognised by a part in it.
 */
export async function faultOfPlace(
  root: string,
  id: string,
  audit: ServiceAudit,
): Promise<string | undefined> {
  const marker = await readMarker(root);
  const recorded = await audit.fingerprint(partsFingerprint);
  if (marker !== undefined && marker.registry !== id)
    return `its ${markerName} ${marker.registry === "" ? "is damaged" : "names another registry"}`;
  if (recorded !== undefined && isBucket(recorded)) return `they are in ${recorded}`;
  if (marker !== undefined)
    return recorded === undefined || marker.folder === recorded
      ? undefined
      : "the other nodes have them in another folder";
  let listed = 0;
  for await (const { sha256 } of audit.parts()) {
    if (existsSync(join(root, partPath(sha256)))) return undefined;
    listed++;
  }
  if (listed > 0) return `it has no ${markerName}, and none of the ${listed} parts of the registry`;
  return recorded === undefined ? undefined : `it has no ${markerName}, as the folder of the other nodes has`;
}

/**
 * Requires that a folder is the registry's folder of parts, and marks a new one.
 *
 * @throws {DataError} if the folder belongs to another registry, or its disk is not mounted
 */
export async function claimPlace(root: string, folder: DataFolder, { guards }: Guarded): Promise<PartsPlace> {
  const id = await guards.id();
  // One state of the registry: another node may claim its folder meanwhile.
  const found = await withRegistryAudit(folder, async (audit) => ({
    fault: await faultOfPlace(root, id, audit),
    recorded: await audit.fingerprint(partsFingerprint),
  }));
  if (found?.fault !== undefined) throw notOwn(root, found.fault);
  await mkdir(root, { recursive: true, mode: 0o700 });
  // If two nodes claim a new folder at once, one of them gives it its id.
  const made = { registry: id, folder: found?.recorded ?? randomUUID() };
  await readOrCreate(join(root, markerName), async () => textOf(made));
  const marker = await readMarker(root);
  // If they claim two new folders at once, one of the folders is the registry's.
  const own = await guards.fingerprint(partsFingerprint, marker?.folder ?? made.folder);
  if (marker?.registry === id && marker.folder === undefined)
    await writeMarker(root, { registry: id, folder: own });
  const isOwn = async () => {
    const now = await readMarker(root);
    return now?.registry === id && now.folder === own;
  };
  if (await isOwn()) return { root, isOwn };
  throw notOwn(root, (await withRegistryAudit(folder, (audit) => faultOfPlace(root, id, audit))) ?? "");
}

const notOwn = (root: string, fault: string): DataError =>
  new DataError(
    `${root} is not the folder of this registry's parts: ${fault}. Mount the disk of the parts, or set CADASTRE_PARTS to their folder. If the parts are lost and no other service uses this folder, run \`cadastre parts adopt\`: a worker then rebuilds them`,
  );

/** Wraps a store of parts: while its folder is not the registry's, nothing is written or removed, and no part is reported as missing. */
export function guardedParts(parts: PartStore, place: PartsPlace): PartStore {
  const requireOwn = async () => {
    if (await place.isOwn()) return;
    throw new DeliveryError(
      "parts_unavailable",
      `${place.root} does not have the ${markerName} of this registry`,
    );
  };
  const after =
    <Args extends readonly unknown[], T>(work: (...args: Args) => Promise<T>) =>
    async (...args: Args): Promise<T> => {
      await requireOwn();
      return work(...args);
    };
  return {
    stage: after(parts.stage),
    put: after(parts.put),
    replace: after(parts.replace),
    remove: after(parts.remove),
    probe: after(parts.probe),
    sweep: after(parts.sweep),
    open: async (digest) => {
      try {
        return await parts.open(digest);
      } catch (error) {
        // A part that cannot be opened may be on a disk that is not mounted.
        await requireOwn();
        throw error;
      }
    },
  };
}
