import { createHash } from "node:crypto";
import { DeliveryError } from "../errors.ts";
import type { StoredManifest } from "../ledger/delivery.ts";

const sha256Of = (text: string): string => createHash("sha256").update(text).digest("hex");

/**
 * Verifies the hashes of a manifest and its signature.
 *
 * @param sha256 manifest hash of the delivery
 * @throws {DeliveryError} `part_damaged`
 */
export function requireIntact(
  { text, sha256: recordedSha256, signature, signatureSha256 }: StoredManifest,
  sha256: string,
): void {
  const actual = sha256Of(text);
  if (actual !== sha256 || recordedSha256 !== sha256)
    throw new DeliveryError("part_damaged", `the manifest ${sha256} has the hash ${actual}`);
  if (signatureSha256 !== null && signatureSha256 !== sha256Of(signature))
    throw new DeliveryError("part_damaged", `the signature of the manifest ${sha256}`);
}
