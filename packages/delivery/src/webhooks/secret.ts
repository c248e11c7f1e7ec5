import { openText, type Random, type SealingKey } from "../sealed-text.ts";

/** Random bytes of a secret. Source: Standard Webhooks, "Signature scheme": 24 to 64. */
const secretBytes = 32;

/** What a secret begins with, for who finds one to know what it is. */
const prefix = "whsec_";

/** A secret that nobody has, as its customer gets it. */
export const newSecret = (random: Random): string =>
  prefix + Buffer.from(random(secretBytes)).toString("base64");

/** The key that a secret stands for. */
export const keyOf = (secret: string): Uint8Array => Buffer.from(secret.slice(prefix.length), "base64");

/** A secret as its customer has it; undefined if it was kept under another key. */
export function openSecret(sealed: string, webhook: string, key: SealingKey): string | undefined {
  try {
    return openText(sealed, webhook, key);
  } catch {
    return undefined;
  }
}
