import { openText, type RandomBytes, type SealingKey } from "../sealed-text.ts";

/** Number of random bytes in a secret. Source: Standard Webhooks, "Signature scheme": 24 to 64. */
const secretBytes = 32;

/** Prefix of secrets, so that anyone who finds one can tell what it is. */
const prefix = "whsec_";

/** Returns a new random secret in the form that its customer gets. */
export const newSecret = (random: RandomBytes): string =>
  prefix + Buffer.from(random(secretBytes)).toString("base64");

/** Returns the signing key that a secret encodes. */
export const signingKeyOf = (secret: string): Uint8Array =>
  Buffer.from(secret.slice(prefix.length), "base64");

/** Returns the owner that the bearer token of a webhook is encrypted for, so that it does not pass for the signing secret. */
export const tokenOwner = (webhook: string): string => `${webhook} token`;

/** Decrypts a secret to the form that its customer has; undefined if it was encrypted with another key. */
export function openSecret(sealed: string, owner: string, key: SealingKey): string | undefined {
  try {
    return openText(sealed, owner, key);
  } catch {
    return undefined;
  }
}
