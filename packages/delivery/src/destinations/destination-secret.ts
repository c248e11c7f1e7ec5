import { DeliveryError } from "../errors.ts";
import { openText, type RandomBytes, type SealingKey, sealText } from "../sealed-text.ts";

/** Key of 32 bytes that the secrets of destinations are encrypted with. */
export type DestinationKey = SealingKey;

/** Number of random bytes in an external id: 256 bits. */
const secretBytes = 32;

/** Returns a new random external id. */
export const newExternalId = (random: RandomBytes): string =>
  Buffer.from(random(secretBytes)).toString("base64url");

/** Encrypts an external id or a secret access key for storage. It can be decrypted only for the same destination. */
export const sealDestinationSecret = sealText;

/** @throws {DeliveryError} `external_id_unreadable` */
export function openDestinationSecret(text: string, destination: string, key: DestinationKey): string {
  try {
    return openText(text, destination, key);
  } catch (cause) {
    throw new DeliveryError("external_id_unreadable", undefined, { cause });
  }
}
