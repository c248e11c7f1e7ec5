import { lstat, readdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { type Manifest, ManifestError, readManifest, sha256 } from "@cadastre/manifest";
import { ClientError } from "../errors.ts";
import { readManifestFile, unlessMissing } from "../fetch/disk.ts";
import { isStagedFile, manifestFile } from "../fetch/staging.ts";
import { type LedgerEntry, linkOf } from "./ledger.ts";

/** A delivery in a folder of deliveries. Its manifest is its entry in the ledger. */
export type FolderEntry = LedgerEntry & {
  readonly stream: string;
  readonly place: string;
};

/** The deliveries in a folder. */
export type FolderLedger = {
  readonly entries: readonly FolderEntry[];
  /** True if a subfolder has a `manifest.json` that cannot be read, such as a truncated one. */
  readonly hasUnreadable: boolean;
};

/** Reads the manifests in the subfolders of a folder, in no particular order. */
export async function readLedger(folder: string): Promise<FolderLedger> {
  const entries: FolderEntry[] = [];
  let hasUnreadable = false;
  for (const child of await readdir(folder, { withFileTypes: true })) {
    if (!child.isDirectory() || child.name.startsWith(".")) continue;
    const found = await readEntry(join(folder, child.name));
    if (found === "unreadable") hasUnreadable = true;
    else if (found !== undefined) entries.push(found);
  }
  return { entries, hasUnreadable };
}

/** Reads the manifest in a folder; undefined if it has none. */
export async function readEntry(place: string): Promise<FolderEntry | "unreadable" | undefined> {
  const file = join(place, manifestFile);
  const facts = await lstat(file).catch(unlessMissing);
  if (facts === undefined) return undefined;
  const manifest = await readIfManifest(file);
  if (manifest === undefined) return "unreadable";
  const { bytes, subscriptionId, deliveryId, generation, sequence } = manifest;
  return {
    stream: subscriptionId ?? deliveryId,
    place,
    generation,
    sequence,
    sha256: await sha256(bytes),
    manifest: bytes.toString("utf8"),
    loadedAt: facts.mtime.toISOString(),
  };
}

/** Reads a manifest; undefined if the file is none. */
async function readIfManifest(file: string): Promise<(Manifest & { readonly bytes: Buffer }) | undefined> {
  try {
    const bytes = await readManifestFile(file);
    return { ...readManifest(bytes), bytes };
  } catch (error) {
    if (error instanceof ManifestError) return undefined;
    throw error;
  }
}

/**
 * Returns the last delivery of the latest generation before the first one that is damaged, so that the damaged one is the next to load.
 *
 * @param entries those of one stream
 */
export async function lastIntact(
  entries: readonly FolderEntry[],
  hasUnreadable: boolean,
): Promise<FolderEntry | undefined> {
  const sorted = entries.toSorted((a, b) => a.generation - b.generation || a.sequence - b.sequence);
  const copy = sorted.filter(({ generation }) => generation === sorted.at(-1)?.generation);
  let last: FolderEntry | undefined;
  for (const entry of copy) {
    const expected = (last?.sequence ?? -1) + 1;
    // A subfolder that is gone was removed on purpose. One whose manifest cannot be read was not.
    if (hasUnreadable && entry.sequence !== expected) return last;
    const { manifest } = linkOf(entry);
    const isFirst = last === undefined && entry.sequence !== 0;
    if (!isFirst && (await faultyPart(entry.place, manifest)) !== undefined) return last;
    last = entry;
  }
  return last;
}

/**
 * Returns the file of the first part that is missing or has another length; undefined if there is none. Hashes nothing. The folder of a
 * delivery that was renamed is not looked at.
 *
 * @throws {ClientError} `file_occupied` if a folder or a link is in the place of a part
 */
export async function faultyPart(
  place: string,
  { deliveryId, parts }: Manifest,
): Promise<string | undefined> {
  if (basename(place) !== deliveryId) return undefined;
  for (const { name, byteLength } of parts) {
    const file = join(place, name);
    const facts = await lstat(file).catch(unlessMissing);
    if (facts !== undefined && !facts.isFile()) throw new ClientError("file_occupied", { file });
    if (facts?.size !== byteLength) return file;
  }
  return undefined;
}

/** True if a folder holds parts of the delivery and no other files, and lacks a manifest that can be read. */
export async function lacksManifest(place: string, manifest: Manifest): Promise<boolean> {
  const facts = await lstat(place).catch(unlessMissing);
  if (!facts?.isDirectory()) return false;
  const files = await readdir(place);
  const parts = new Set(manifest.parts.map(({ name }) => name));
  if (!files.every(isStagedFile(manifest)) || !files.some((name) => parts.has(name))) return false;
  return !files.includes(manifestFile) || (await readIfManifest(join(place, manifestFile))) === undefined;
}
