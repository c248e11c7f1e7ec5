import { mkdir, readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { type Manifest, sha256 } from "@cadastre/manifest";
import { ClientError } from "../errors.ts";
import type { Means } from "../http/ask.ts";
import type { Connection } from "../http/connection.ts";
import { onDisk, syncFolder, unlessMissing, writeWhole } from "./disk.ts";
import { compareFile } from "./hash-file.ts";
import type { VerifiedManifest } from "./manifest.ts";
import { type OnBytes, type OpenPart, partsBy, transferPart } from "./transfer.ts";

/** A delivery whose files lie in a folder, each with the bytes of the manifest. */
export type StagedDelivery = VerifiedManifest & { readonly folder: string };

export type StagingOptions = {
  /** Folder in which a delivery gets a folder of its own. What was verified there by an interrupted run is kept. */
  readonly staging: string;
  /** Parts that are fetched at a time. */
  readonly parallel?: number;
  readonly onBytes?: OnBytes;
};

/** Names beside the parts; of the signature, that of a folder and that of a pushed prefix. The last is what a push ends with. */
export const manifestFile = "manifest.json";
export const signatureFile = "signature.json";
export const pushedSignatureFile = "manifest.jws.json";
export const completeFile = "_COMPLETE";

/**
 * Fetch the parts of a delivery into a folder.
 *
 * @throws {ClientError} with the first fault; parts that are whole by then are kept for the next time.
 */
export const stageParts = (
  connection: Connection,
  delivery: VerifiedManifest,
  options: StagingOptions,
): Promise<StagedDelivery> =>
  stageBy(connection, partsBy(connection, delivery.manifest.deliveryId), delivery, options);

/** The same from wherever parts are opened. */
export async function stageBy(
  means: Means,
  open: OpenPart,
  delivery: VerifiedManifest,
  { staging, parallel = 4, onBytes = () => {} }: StagingOptions,
): Promise<StagedDelivery> {
  const { manifest } = delivery;
  const folder = join(staging, manifest.deliveryId);
  await onDisk(folder, () => layOut(folder, delivery));

  const fault = new AbortController();
  const signal = means.signal === undefined ? fault.signal : AbortSignal.any([means.signal, fault.signal]);
  const stoppable = { ...means, signal };
  const waiting = manifest.parts.values();
  const fetchWaiting = async () => {
    for (const part of waiting) {
      const file = join(folder, part.name);
      const found = await onDisk(file, () => compareFile(file, part));
      if (found === "same") {
        onBytes(part.byteLength);
        continue;
      }
      if (found !== "missing") await onDisk(file, () => rm(file, { recursive: true }));
      await transferPart(stoppable, open, part, file, onBytes);
    }
  };
  const faults: unknown[] = [];
  const stop = (error: unknown) => {
    faults.push(error);
    fault.abort();
  };
  await Promise.all(Array.from({ length: parallel }, () => fetchWaiting().catch(stop)));
  if (faults.length > 0) throw faults[0];
  await onDisk(folder, () => tidy(folder, manifest));
  return { ...delivery, folder };
}

/** A delivery's folder, with its manifest. The same delivery cannot have had another. */
async function layOut(folder: string, { bytes, sha256: hash, signature }: VerifiedManifest): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, manifestFile);
  const before = await readFile(file).catch(unlessMissing);
  if (before !== undefined && (await sha256(before)) !== hash) throw new ClientError("manifest_changed");
  await writeWhole(file, bytes);
  if (signature !== undefined) await writeWhole(join(folder, signatureFile), JSON.stringify(signature));
}

/** Leave the delivery's files alone in its folder: a run that was killed may have left half of one. */
async function tidy(folder: string, { parts }: Manifest): Promise<void> {
  const own = new Set([manifestFile, signatureFile, ...parts.map(({ name }) => name)]);
  for (const name of await readdir(folder))
    if (!own.has(name)) await rm(join(folder, name), { recursive: true });
  await syncFolder(folder);
}
