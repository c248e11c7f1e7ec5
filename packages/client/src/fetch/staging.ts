import { mkdir, readdir, readFile, rm, rmdir } from "node:fs/promises";
import { join } from "node:path";
import { type Manifest, ManifestError, type ManifestPart, readManifest, sha256 } from "@cadastre/manifest";
import { ClientError } from "../errors.ts";
import { anySignal } from "../http/any-signal.ts";
import type { Connection } from "../http/connection.ts";
import type { RetryContext } from "../http/request.ts";
import { compareFile } from "./compare-file.ts";
import { onDisk, syncFolder, unlessMissing, writeAtomically } from "./disk.ts";
import { documentsBy, type ReadDocument, stageDocuments, stagedDocuments } from "./documents.ts";
import type { VerifiedManifest } from "./manifest.ts";
import { type OnBytes, type PrepareTransfer, partsBy, transferPart } from "./transfer.ts";

/** A delivery whose verified files are in a folder. */
export type StagedDelivery = VerifiedManifest & { readonly folder: string };

export type StagingOptions = {
  /** Folder in which a delivery gets a folder of its own. What was verified there by an interrupted run is kept. */
  readonly staging: string;
  /** Number of parts that are fetched concurrently. */
  readonly parallel?: number;
  /** Maximum number of bytes to fetch, repeated transfers included. By default there is no limit. */
  readonly maxBytes?: number | undefined;
  readonly onBytes?: OnBytes;
};

/** Names of the files beside the parts. A pushed signature has a name of its own, and `_COMPLETE` is the last object of a push. */
export const manifestFile = "manifest.json";
export const signatureFile = "signature.json";
export const pushedSignatureFile = "manifest.jws.json";
export const completeFile = "_COMPLETE";

/** Default staging folder, within the folder that deliveries are loaded into. */
export const ownStaging = ".staging";

/** Default staging folder for databases, within the working directory. Each database has a folder in it. */
export const databaseStaging = ".cadastre";

/**
 * Fetches the parts and documents of a delivery into a folder.
 *
 * @throws {ClientError} for the first failure; parts that were verified by then are kept for the next run
 */
export const stageParts = (
  connection: Connection,
  delivery: VerifiedManifest,
  options: StagingOptions,
): Promise<StagedDelivery> =>
  stageBy(
    connection,
    { open: partsBy(connection, delivery.manifest.deliveryId), read: documentsBy(connection) },
    delivery,
    options,
  );

/** How to fetch the files of a delivery. */
export type DeliveryFiles = { readonly open: PrepareTransfer; readonly read: ReadDocument };

/** Like `stageParts`, with any way to fetch the files. */
export async function stageBy(
  means: RetryContext,
  { open, read }: DeliveryFiles,
  delivery: VerifiedManifest,
  { staging, parallel = 4, maxBytes, onBytes = () => {} }: StagingOptions,
): Promise<StagedDelivery> {
  const { manifest } = delivery;
  const folder = join(staging, manifest.deliveryId);
  await onDisk(folder, () => layOut(folder, delivery));

  const fault = new AbortController();
  const signal = anySignal(means.signal, fault.signal);
  const stoppable = { ...means, signal };
  const missing = await missingParts(folder, manifest.parts, onBytes);
  const limit = byteLimit(maxBytes);
  limit.requireRoomFor([...missing, ...stagedDocuments(manifest)]);
  await stageDocuments(folder, manifest, (document) => read(document, means.signal));
  const events = { onBytes, onReceived: limit.take };
  const waiting = missing.values();
  const fetchWaiting = async () => {
    for (const part of waiting) await transferPart(stoppable, open, part, join(folder, part.name), events);
  };
  const faults: unknown[] = [];
  const stop = (error: unknown) => {
    faults.push(error);
    fault.abort();
  };
  await Promise.all(Array.from({ length: parallel }, () => fetchWaiting().catch(stop)));
  if (faults.length > 0) throw faults[0];
  await onDisk(folder, () => tidy(folder));
  return { ...delivery, folder };
}

/** Counts the bytes that one run fetches, repeated transfers included, against a limit. */
type ByteLimit = {
  /** @throws {ClientError} `max_bytes_exceeded` if these files together exceed the limit */
  readonly requireRoomFor: (files: readonly Pick<ManifestPart, "byteLength">[]) => void;
  /** Counts bytes as they come. @throws {ClientError} `max_bytes_exceeded` at the first byte beyond the limit */
  readonly take: (bytes: number) => void;
};

function byteLimit(limit = Number.POSITIVE_INFINITY): ByteLimit {
  let taken = 0;
  const requireAtMost = (bytes: number) => {
    if (bytes > limit)
      throw new ClientError("max_bytes_exceeded", { bytes: String(bytes), limit: String(limit) });
  };
  return {
    requireRoomFor: (parts) => requireAtMost(parts.reduce((total, { byteLength }) => total + byteLength, 0)),
    take: (bytes) => {
      taken += bytes;
      requireAtMost(taken);
    },
  };
}

/** Returns the parts that are not in the folder as the manifest states them, and removes what is in their place. */
async function missingParts(
  folder: string,
  parts: readonly ManifestPart[],
  onBytes: OnBytes,
): Promise<readonly ManifestPart[]> {
  const missing: ManifestPart[] = [];
  for (const part of parts) {
    const file = join(folder, part.name);
    const found = await onDisk(file, () => compareFile(file, part));
    if (found === "same") onBytes(part.byteLength);
    else {
      if (found !== "missing") await onDisk(file, () => rm(file, { recursive: true }));
      missing.push(part);
    }
  }
  return missing;
}

/** Creates the folder of a delivery and writes its manifest. */
async function layOut(
  folder: string,
  { bytes, sha256: hash, signature, manifest }: VerifiedManifest,
): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const isStaged = isStagedFile(manifest);
  for (const name of await readdir(folder))
    if (!isStaged(name)) throw new ClientError("file_occupied", { file: join(folder, name) });
  const file = join(folder, manifestFile);
  const before = await readFile(file).catch(unlessMissing);
  if (before !== undefined && (await sha256(before)) !== hash && isManifest(before))
    throw new ClientError("manifest_changed");
  await writeAtomically(file, bytes);
  if (signature !== undefined) await writeAtomically(join(folder, signatureFile), JSON.stringify(signature));
}

/** False for bytes that are damaged, such as a truncated file. */
function isManifest(bytes: Uint8Array): boolean {
  try {
    readManifest(bytes);
    return true;
  } catch (error) {
    if (error instanceof ManifestError) return false;
    throw error;
  }
}

/** Returns a test for the names of files that staging a delivery creates, partial files included. */
export function isStagedFile(manifest: Manifest): (name: string) => boolean {
  const files = [...manifest.parts, ...stagedDocuments(manifest)];
  const own = new Set([manifestFile, signatureFile, ...files.map(({ name }) => name)]);
  return (name) => own.has(name) || name.endsWith(".partial");
}

/** Removes partial files of a run that was killed. */
async function tidy(folder: string): Promise<void> {
  for (const name of await readdir(folder))
    if (name.endsWith(".partial")) await rm(join(folder, name), { force: true });
  await syncFolder(folder);
}

/** Removes the staged files of a delivery. Other files in its folder stay. */
export async function discard(staging: string, manifest: Manifest): Promise<void> {
  const folder = join(staging, manifest.deliveryId);
  await onDisk(folder, async () => {
    const files = (await readdir(folder).catch(unlessMissing)) ?? [];
    const own = files.filter(isStagedFile(manifest));
    for (const name of own) await rm(join(folder, name), { recursive: true, force: true });
    // Not recursive: fails rather than deletes a file that appears meanwhile.
    if (own.length > 0 && own.length === files.length) await rmdir(folder).catch(unlessMissing);
  });
}
