import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Manifest, type ManifestDocument, sha256 } from "@cadastre/manifest";
import { ClientError } from "../errors.ts";
import type { Connection } from "../http/connection.ts";
import { readAnswer, sendOnce, silence, withRetry } from "../http/request.ts";
import { onDisk, unlessMissing, writeAtomically } from "./disk.ts";

/** Paths of the documents that a service has, by their kind. */
const paths: Readonly<Record<string, string>> = {
  schema: "/v1/schemas/",
  profile: "/v1/profiles/",
  disclaimer: "/v1/disclaimers/",
};

/** Returns the documents of a delivery that are staged. Kinds of later releases are not. */
export const stagedDocuments = ({
  documents = [],
}: Pick<Manifest, "documents">): readonly ManifestDocument[] =>
  documents.filter(({ kind }) => Object.hasOwn(paths, kind));

/** Reads the bytes of a document, with retries. */
export type ReadDocument = (
  document: ManifestDocument,
  signal: AbortSignal | undefined,
) => Promise<Uint8Array>;

/** Reads documents from a service, by their hashes. */
export const documentsBy =
  (connection: Connection): ReadDocument =>
  ({ kind, name, sha256: hash }, until) =>
    withRetry({ ...connection, signal: until }, async (signal) => {
      const quiet = silence(signal, connection.retryPolicy.timeout);
      try {
        const ask = { path: `${paths[kind]}${hash}`, accept: "*/*" };
        const { body } = await sendOnce(connection, ask, quiet.signal);
        return await readAnswer(body, name, quiet);
      } finally {
        quiet.end();
      }
    });

/**
 * Writes the documents of a delivery into its folder, except those that are there.
 *
 * @throws {ClientError} `document_differs` if one does not have the length and hash of the manifest
 */
export async function stageDocuments(
  folder: string,
  manifest: Manifest,
  read: (document: ManifestDocument) => Promise<Uint8Array>,
): Promise<void> {
  for (const document of stagedDocuments(manifest)) {
    const file = join(folder, document.name);
    const before = await onDisk(file, () => readFile(file).catch(unlessMissing));
    if (before !== undefined && (await isDocument(document, before))) continue;
    const bytes = await read(document);
    if (!(await isDocument(document, bytes)))
      throw new ClientError("document_differs", { file: document.name });
    await onDisk(file, () => writeAtomically(file, bytes));
  }
}

/** True if bytes have the length and the hash of a document. */
const isDocument = async (
  { byteLength, sha256: hash }: ManifestDocument,
  bytes: Uint8Array,
): Promise<boolean> => bytes.length === byteLength && (await sha256(bytes)) === hash;
