import { DeliveryError } from "../errors.ts";
import { openText, type Random, type SealingKey, sealText } from "../sealed-text.ts";

/** Secret of 32 bytes that external ids are kept under. */
export type ExternalIdKey = SealingKey;

/** Random bytes of an external id: 256 bits. */
const secretBytes = 32;

/** An external id that nobody has. */
export const newExternalId = (random: Random): string =>
  Buffer.from(random(secretBytes)).toString("base64url");

/** As it is kept, for a destination: it opens for no other one. */
export const sealExternalId = sealText;

/** @throws {DeliveryError} `external_id_unreadable` */
export function openExternalId(text: string, destination: string, key: ExternalIdKey): string {
  try {
    return openText(text, destination, key);
  } catch (cause) {
    throw new DeliveryError("external_id_unreadable", undefined, { cause });
  }
}
