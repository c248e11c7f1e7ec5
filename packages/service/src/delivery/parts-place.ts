import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { DeliveryError, type PartStore, partPath } from "@cadastre/delivery";
import { z } from "zod";
import type { Config } from "../config.ts";
import { DataError } from "../data/data-error.ts";
import { type DataFolder, readIfExists, readOrCreate, replaceFile } from "../data/data-folder.ts";
import { type Registry, type ServiceAudit, withRegistryAudit } from "../data/registry.ts";

/*
 * A marker file in the folder of parts names the registry that the parts belong to. Without it, the mount point of a disk that is not
 * mounted would look like a folder whose parts are all lost.
 */

/** Name of the marker file. */
export const markerName = "cadastre-parts.json";

const schema = z.strictObject({ registry: z.string() });

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

const textOf = (registry: string): string => `${JSON.stringify({ registry })}\n`;

/** Returns the id of the registry that a marker names: empty if the marker is damaged, undefined if there is none. */
export async function readMarker(root: string): Promise<string | undefined> {
  const text = await readIfExists(join(root, markerName));
  if (text === undefined) return undefined;
  try {
    return schema.parse(JSON.parse(text)).registry;
  } catch {
    return "";
  }
}

/** Writes the marker, and replaces an existing one. */
export async function writeMarker(root: string, registry: string): Promise<void> {
  await mkdir(root, { recursive: true, mode: 0o700 });
  await replaceFile(join(root, markerName), textOf(registry));
}

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
  if (marker === id) return undefined;
  if (marker !== undefined)
    return `its ${markerName} ${marker === "" ? "is damaged" : "names another registry"}`;
  let listed = 0;
  for await (const { sha256 } of audit.parts()) {
    if (existsSync(join(root, partPath(sha256)))) return undefined;
    listed++;
  }
  return listed === 0
    ? undefined
    : `it has no ${markerName}, and none of the ${listed} parts of the registry`;
}

/**
 * Requires that a folder is the registry's folder of parts, and marks a new one.
 *
 * @throws {DataError} if the folder belongs to another registry, or its disk is not mounted
 */
export async function claimPlace(
  root: string,
  folder: DataFolder,
  { guards }: Pick<Registry, "guards">,
): Promise<PartsPlace> {
  const id = await guards.id();
  const fault = await withRegistryAudit(folder, (audit) => faultOfPlace(root, id, audit));
  if (fault !== undefined) throw notOwn(root, fault);
  await mkdir(root, { recursive: true, mode: 0o700 });
  // If two registries claim a new folder at once, one of them gets it.
  await readOrCreate(join(root, markerName), async () => textOf(id));
  const place = { root, isOwn: async () => (await readMarker(root)) === id };
  if (!(await place.isOwn())) throw notOwn(root, `its ${markerName} names another registry`);
  return place;
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
