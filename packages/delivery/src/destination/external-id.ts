import { createCipheriv, createDecipheriv } from "node:crypto";
import { DeliveryError } from "../errors.ts";

/** Secret of 32 bytes that external ids are kept under. */
export type ExternalIdKey = Uint8Array;

/** Random bytes of an external id: 256 bits. */
const secretBytes = 32;

const algorithm = "aes-256-gcm";
const version = 1;
const nonceLength = 12;
const tagLength = 16;

type Random = (bytes: number) => Uint8Array;

/** An external id that nobody has. */
export const newExternalId = (random: Random): string =>
  Buffer.from(random(secretBytes)).toString("base64url");

/** As it is kept, for a destination: it opens for no other one. */
export function sealExternalId(
  externalId: string,
  destination: string,
  key: ExternalIdKey,
  random: Random,
): string {
  const nonce = random(nonceLength);
  const cipher = createCipheriv(algorithm, key, nonce).setAAD(Buffer.from(destination));
  const sealed = Buffer.concat([cipher.update(externalId, "utf8"), cipher.final()]);
  return Buffer.concat([Uint8Array.of(version), nonce, cipher.getAuthTag(), sealed]).toString("base64url");
}

/** @throws {DeliveryError} `external_id_unreadable` */
export function openExternalId(text: string, destination: string, key: ExternalIdKey): string {
  const bytes = Buffer.from(text, "base64url");
  const [nonceEnd, tagEnd] = [1 + nonceLength, 1 + nonceLength + tagLength];
  try {
    if (bytes[0] !== version) throw new RangeError("of another version");
    const decipher = createDecipheriv(algorithm, key, bytes.subarray(1, nonceEnd), {
      authTagLength: tagLength,
    })
      .setAAD(Buffer.from(destination))
      .setAuthTag(bytes.subarray(nonceEnd, tagEnd));
    return Buffer.concat([decipher.update(bytes.subarray(tagEnd)), decipher.final()]).toString("utf8");
  } catch (cause) {
    throw new DeliveryError("external_id_unreadable", undefined, { cause });
  }
}
