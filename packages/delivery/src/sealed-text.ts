import { createCipheriv, createDecipheriv } from "node:crypto";

/** Encryption key of 32 bytes. */
export type SealingKey = Uint8Array;

export type RandomBytes = (bytes: number) => Uint8Array;

const algorithm = "aes-256-gcm";
const version = 1;
const nonceLength = 12;
const tagLength = 16;

/** Encrypts a secret (AES-256-GCM) for its owner. With another owner it cannot be decrypted. */
export function sealText(secret: string, owner: string, key: SealingKey, random: RandomBytes): string {
  const nonce = random(nonceLength);
  const cipher = createCipheriv(algorithm, key, nonce).setAAD(Buffer.from(owner));
  const sealed = Buffer.concat([cipher.update(secret, "utf8"), cipher.final()]);
  return Buffer.concat([Uint8Array.of(version), nonce, cipher.getAuthTag(), sealed]).toString("base64url");
}

/**
 * Decrypts a text of {@link sealText}.
 *
 * @throws if it was encrypted with another key, for another owner, or not by `sealText`
 */
export function openText(text: string, owner: string, key: SealingKey): string {
  const bytes = Buffer.from(text, "base64url");
  const [nonceEnd, tagEnd] = [1 + nonceLength, 1 + nonceLength + tagLength];
  if (bytes[0] !== version) throw new RangeError("of another version");
  const decipher = createDecipheriv(algorithm, key, bytes.subarray(1, nonceEnd), { authTagLength: tagLength })
    .setAAD(Buffer.from(owner))
    .setAuthTag(bytes.subarray(nonceEnd, tagEnd));
  return Buffer.concat([decipher.update(bytes.subarray(tagEnd)), decipher.final()]).toString("utf8");
}
