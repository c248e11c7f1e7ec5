import { readManifest } from "@cadastre/manifest";
import type { SealedManifest } from "@cadastre/store/registry";
import type { PartStore } from "../parts/part-store.ts";
import type { Publication } from "./publication.ts";

/** What is published of a delivery as the ledger has sealed it. */
export function sealedPublication(
  { text, signature }: Pick<SealedManifest, "text" | "signature">,
  store: Pick<PartStore, "open">,
): Publication {
  const manifest = Buffer.from(text);
  const parts = readManifest(manifest).parts.map((part) => ({
    name: part.name,
    byteLength: part.byteLength,
    sha256: part.sha256,
    // Said to be encoded, it would be decoded by whoever reads it, and be other bytes than those of its hash.
    mediaType: part.contentEncoding === null ? part.mediaType : "application/octet-stream",
    open: async () => (await store.open(part)).stream(),
  }));
  return { parts, manifest, signature: Buffer.from(signature) };
}
