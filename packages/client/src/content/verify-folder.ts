import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import { type Manifest, ManifestError, readManifest, sha256 } from "@cadastre/manifest";
import type { JSONWebKeySet } from "jose";
import { ClientError, type ClientErrorCode } from "../errors.ts";
import { compareFile } from "../fetch/compare-file.ts";
import { readManifestFile, unlessMissing } from "../fetch/disk.ts";
import { stagedDocuments } from "../fetch/documents.ts";
import { readSignature, requireSignature } from "../fetch/manifest.ts";
import { type Pins, requirePins } from "../fetch/pins.ts";
import { completeFile, manifestFile, pushedSignatureFile, signatureFile } from "../fetch/staging.ts";
import { fileReason } from "../file-reason.ts";
import { readColumns } from "./columns.ts";
import { isText } from "./read-part.ts";

/** Names that are allowed beside the parts. `_COMPLETE` is the last object of a push. */
const beside: ReadonlySet<string> = new Set([manifestFile, signatureFile, pushedSignatureFile, completeFile]);

const faultOf = {
  missing: "file_missing",
  length: "part_length_differs",
  hash: "part_hash_differs",
} as const satisfies Record<string, ClientErrorCode>;

export type FolderReport = {
  readonly manifest: Manifest;
  readonly sha256: string;
  /** True if a signature was verified. False if `keys` is `unsigned`: none was looked at, even if the folder has one. */
  readonly signed: boolean;
  /** True if the records were counted. The records of Parquet are not. */
  readonly counted: boolean;
};

/**
 * Verifies a folder that holds a delivery, without a network: manifest, signature, every byte of every part and document, and the records.
 *
 * @throws {ClientError | ManifestError} for the first failure
 */
export async function verifyFolder(
  folder: string,
  { keys, pins = {} }: { readonly keys: JSONWebKeySet | "unsigned"; readonly pins?: Pins },
): Promise<FolderReport> {
  await requireDelivery(folder);
  const bytes = await readRequired(folder, manifestFile);
  const files = await readdir(folder);
  const signed =
    [pushedSignatureFile, signatureFile].findLast((name) => files.includes(name)) ?? signatureFile;
  const signature = keys === "unsigned" ? undefined : readSignature(await readRequired(folder, signed));
  await requireSignature(bytes, signature, () => keys);
  const manifest = readManifest(bytes);
  requirePins(manifest, pins);
  const names = new Set([...manifest.parts, ...(manifest.documents ?? [])].map(({ name }) => name));
  for (const file of files)
    if (!names.has(file) && !beside.has(file)) throw new ClientError("file_unexpected", { file });
  for (const part of manifest.parts) {
    const found = await compareFile(join(folder, part.name), part);
    if (found !== "same")
      throw new ClientError(faultOf[found], { file: part.name, part: String(part.number) });
  }
  for (const document of stagedDocuments(manifest)) {
    const found = await compareFile(join(folder, document.name), document);
    // Earlier releases of this program fetch no documents.
    if (found !== "same" && found !== "missing")
      throw new ClientError("document_differs", { file: document.name });
  }
  await readColumns(manifest, folder);
  const counted = isText(manifest.profile.format);
  return { manifest, sha256: await sha256(bytes), signed: keys !== "unsigned", counted };
}

/** @throws {ClientError} `folder_invalid` if there is no such folder, or it holds folders of deliveries instead of one */
async function requireDelivery(folder: string): Promise<void> {
  const invalid = (reason: string) => new ClientError("folder_invalid", { folder, reason });
  const children = await readdir(folder, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    throw invalid(error.code === "ENOTDIR" ? "it is a file" : fileReason(error));
  });
  if (children.some(({ name }) => name === manifestFile)) return;
  for (const child of children.filter((one) => one.isDirectory()))
    if ((await lstat(join(folder, child.name, manifestFile)).catch(unlessMissing)) !== undefined)
      throw invalid(`it holds folders of deliveries: name one of them, such as ${join(folder, child.name)}`);
}

const readRequired = (folder: string, file: string): Promise<Buffer> =>
  readManifestFile(join(folder, file)).catch((error: NodeJS.ErrnoException) => {
    if (error instanceof ManifestError) throw error;
    if (error.code === "ENOENT") throw new ClientError("file_missing", { file });
    throw new ClientError("file_unreadable", { file: join(folder, file), code: error.code ?? "" });
  });
