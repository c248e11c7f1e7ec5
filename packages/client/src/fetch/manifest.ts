import {
  canonicalBytes,
  exceedsLimits,
  type ManifestSignature,
  readManifest,
  type SealedManifest,
  sha256,
  verifyManifest,
} from "@cadastre/manifest";
import type { JSONWebKeySet } from "jose";
import { z } from "zod";
import { ClientError } from "../errors.ts";
import type { Connection } from "../http/connection.ts";
import { askJson } from "../http/request.ts";
import { deliveryPath } from "./exports.ts";
import { fetchKeys } from "./keys.ts";
import { type Pins, requirePins } from "./pins.ts";

/** Keys that may sign: given ones, or those that the server publishes; `unsigned`: signatures are not checked. */
export type TrustedKeys = JSONWebKeySet | "published" | "unsigned";

/** A verified manifest. The signature is undefined if it was not checked. */
export type VerifiedManifest = SealedManifest & { readonly signature: ManifestSignature | undefined };

const answerShape = z.object({
  data: z.unknown(),
  meta: z.object({ manifest_sha256: z.string(), signature: z.unknown().optional() }),
});

/**
 * Fetches the manifest of a complete delivery, and verifies its hash, schema and rules, signature, delivery id and pins.
 *
 * @throws {ClientError | ManifestError}
 */
export async function fetchManifest(
  connection: Connection,
  id: string,
  { trust, pins = {} }: { readonly trust: TrustedKeys; readonly pins?: Pins },
): Promise<VerifiedManifest> {
  const request = "the manifest";
  const answer = answerShape.safeParse(
    await askJson(connection, { path: deliveryPath(id, "/manifest") }, request),
  );
  if (!answer.success) throw new ClientError("answer_malformed", { request });
  const { data, meta } = answer.data;
  // A manifest with any difference has another canonical text, and so another hash.
  const bytes = canonicalBytes(data);
  const hash = await sha256(bytes);
  if (hash !== meta.manifest_sha256) throw new ClientError("manifest_hash_differs");
  const signature = await requireSignature(bytes, meta.signature, () =>
    trust === "published" ? fetchKeys(connection) : trust,
  );
  const manifest = readManifest(bytes);
  if (manifest.deliveryId !== id) throw new ClientError("manifest_foreign");
  requirePins(manifest, pins);
  return { manifest, bytes, sha256: hash, signature };
}

/** Parses a signature file. Returns null, which fails every verification, if it is not JSON. */
export function readSignature(bytes: Buffer): unknown {
  if (exceedsLimits(bytes)) return null;
  try {
    return JSON.parse(bytes.toString("utf8"));
  } catch {
    return null;
  }
}

/** Verifies the signature of a manifest and returns it; undefined if signatures are not checked. */
export async function requireSignature(
  bytes: Uint8Array,
  signature: unknown,
  keysOf: () => Promise<JSONWebKeySet> | JSONWebKeySet | "unsigned",
): Promise<ManifestSignature | undefined> {
  const keys = await keysOf();
  if (keys === "unsigned") return undefined;
  if (signature === undefined || signature === null) throw new ClientError("signature_missing");
  await verifyManifest(bytes, signature, keys);
  return signature as ManifestSignature;
}
