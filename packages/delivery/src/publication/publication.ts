import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import { canonicalBytes } from "@cadastre/manifest";
import type { NewObject } from "../object-store/object-store.ts";
import { completeName, manifestName, signatureName } from "./layout.ts";

/** A part as the manifest lists it. */
export type PublishedPart = NewObject & {
  readonly name: string;
};

/** The objects of a sealed delivery that are published. */
export type Publication = {
  /** Parts in the order of the manifest. */
  readonly parts: readonly PublishedPart[];
  /** The canonical bytes of the manifest, as they were sealed. */
  readonly manifest: Uint8Array;
  /** The detached signature of the manifest, as JSON. */
  readonly signature?: Uint8Array | undefined;
};

/** Returns the objects of a publication in the order of writing. If the last one exists, all do. */
export function objectsOf({ parts, manifest, signature }: Publication): readonly PublishedPart[] {
  const signed = signature === undefined ? [] : [document(signatureName, signature)];
  // `_COMPLETE` names the manifest that it belongs to.
  const end = canonicalBytes({ manifestSha256: sha256(manifest) });
  const objects = [...parts, document(manifestName, manifest), ...signed, document(completeName, end)];
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
