import { createHash } from "node:crypto";
import { type ManifestPart, readManifest } from "@cadastre/manifest";
import type { SealedManifest, StoredManifest } from "@cadastre/store/registry";
import { DeliveryError } from "../errors.ts";
import type { PartStore } from "../parts/part-store.ts";
import type { Publication } from "./publication.ts";

const sha256Of = (text: string): string => createHash("sha256").update(text).digest("hex");

/**
 * Verifies the hashes of a manifest and its signature.
 *
 * @param sha256 manifest hash of the delivery
 * @throws {DeliveryError} `part_damaged`
 */
export function requireIntact(
  { text, sha256: noted, signature, signatureSha256 }: StoredManifest,
  sha256: string,
): void {
  const found = sha256Of(text);
  if (found !== sha256 || noted !== sha256)
    throw new DeliveryError("part_damaged", `the manifest ${sha256} has the hash ${found}`);
  if (signatureSha256 !== null && signatureSha256 !== sha256Of(signature))
    throw new DeliveryError("part_damaged", `the signature of the manifest ${sha256}`);
}

/** Returns the objects to publish for a delivery that the ledger has sealed. */
export function sealedPublication(
  { text, signature }: Pick<SealedManifest, "text" | "signature">,
  store: { readonly open: (part: ManifestPart) => ReturnType<PartStore["open"]> },
): Publication {
  const manifest = Buffer.from(text);
  const parts = readManifest(manifest).parts.map((part) => ({
    name: part.name,
    byteLength: part.byteLength,
    sha256: part.sha256,
    // With a `Content-Encoding`, clients would decode the object, and its bytes would not match the hash.
    mediaType: part.contentEncoding === null ? part.mediaType : "application/octet-stream",
    open: async () => (await store.open(part)).stream(),
  }));
  return { parts, manifest, signature: Buffer.from(signature) };
}
