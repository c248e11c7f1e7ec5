import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import { canonicalBytes, type ManifestDocument, type ManifestPart, readManifest } from "@cadastre/manifest";
import type { SealedManifestRecord } from "../ledger/delivery.ts";
import type { NewObject } from "../object-store/object-store.ts";
import type { PartStore } from "../parts/part-store.ts";
import { completeName, manifestName, signatureName } from "./layout.ts";

/** A part as the manifest lists it. */
export type PublishedPart = NewObject & {
  readonly name: string;
};

/** The objects of a sealed delivery that are published. */
export type PublishedObjects = {
  /** Parts in the order of the manifest. */
  readonly parts: readonly PublishedPart[];
  /** Documents that the manifest lists. */
  readonly documents?: readonly PublishedPart[];
  /** The canonical bytes of the manifest, as they were sealed. */
  readonly manifest: Uint8Array;
  /** The detached signature of the manifest, as JSON. */
  readonly signature?: Uint8Array | undefined;
};

/** Sources of the objects of a sealed delivery. */
export type PublicationSource = {
  readonly open: (part: ManifestPart) => ReturnType<PartStore["open"]>;
  /** Returns the text of a document. Required for a manifest that lists documents. */
  readonly readDocument?: (document: ManifestDocument) => Promise<string>;
};

/** Returns the objects to publish for a delivery that the ledger has sealed. */
export function sealedPublication(
  { text, signature }: Pick<SealedManifestRecord, "text" | "signature">,
  { open, readDocument = unreadable }: PublicationSource,
): PublishedObjects {
  const manifest = Buffer.from(text);
  const listed = readManifest(manifest);
  const parts = listed.parts.map((part) => ({
    name: part.name,
    byteLength: part.byteLength,
    sha256: part.sha256,
    // With a `Content-Encoding`, clients would decode the object, and its bytes would not match the hash.
    mediaType: part.contentEncoding === null ? part.mediaType : "application/octet-stream",
    open: async () => (await open(part)).stream(),
  }));
  const documents = (listed.documents ?? []).map((entry) => ({
    name: entry.name,
    byteLength: entry.byteLength,
    sha256: entry.sha256,
    mediaType: entry.mediaType,
    open: async () => Readable.from([Buffer.from(await readDocument(entry))]),
  }));
  return { parts, documents, manifest, signature: Buffer.from(signature) };
}

const unreadable = ({ name }: ManifestDocument): Promise<string> =>
  Promise.reject(new TypeError(`there is no way to read ${name}`));

/** Returns the objects of a publication in the order of writing. If the last one exists, all do. */
export function objectsInOrder({
  parts,
  documents = [],
  manifest,
  signature,
}: PublishedObjects): readonly PublishedPart[] {
  const signed = signature === undefined ? [] : [document(signatureName, signature)];
  // `_COMPLETE` names the manifest that it belongs to.
  const end = canonicalBytes({ manifestSha256: sha256(manifest) });
  const objects = [
    ...parts,
    ...documents,
    document(manifestName, manifest),
    ...signed,
    document(completeName, end),
  ];
  const names = new Set(objects.map(({ name }) => name.toLowerCase()));
  if (names.size < objects.length || objects.some(({ name }) => !/^[\w][\w.-]*$/.test(name)))
    throw new RangeError("parts have names of their own, without slashes");
  return objects;
}

const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

const document = (name: string, bytes: Uint8Array): PublishedPart => ({
  name,
  byteLength: bytes.length,
  sha256: sha256(bytes),
  mediaType: "application/json",
  open: () => Readable.from([bytes]),
});
