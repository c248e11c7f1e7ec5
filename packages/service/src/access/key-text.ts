import { randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";

/**
 * Prefix of an API key, which secret scanners can look for. It is followed by 256 random bits and by a checksum, with which a mistyped key
 * is refused without a lookup.
 */
const prefix = "cadastre_";
const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const secretBytes = 32;
// Number of base 62 digits of 256 bits and of 32 bits.
const secretLength = 43;
const checksumLength = 6;

const pattern = new RegExp(`^${prefix}[0-9A-Za-z]{${secretLength + checksumLength}}$`);

/** Number of leading characters of a key that may be shown, to tell keys apart. */
const visibleLength = 14;

export const visiblePrefix = (apiKey: string): string => apiKey.slice(0, visibleLength);

/** Creates an API key from random bytes. */
export function createApiKey(secret: Uint8Array = randomBytes(secretBytes)): string {
  let rest = BigInt(`0x${Buffer.from(secret).toString("hex")}`);
  let number = "";
  for (; rest > 0n; rest /= 62n) number = digits.charAt(Number(rest % 62n)) + number;
  const body = prefix + number.padStart(secretLength, "0");
  return body + checksum(body);
}

/** True if the text has the format of a key and a correct checksum. The key may still be unknown. */
export function isWellFormed(text: string): boolean {
  if (!pattern.test(text)) return false;
  const body = text.slice(0, -checksumLength);
  return text.slice(-checksumLength) === checksum(body);
}

// Roles and tables are named with the same prefix: `cadastre_service`.
const anyKey = new RegExp(`${prefix}[0-9A-Za-z]{20,}`, "g");

/** Replaces all that looks like an API key, mistyped ones too, by what may be shown of it. For messages that quote what was given. */
export const withoutKeys = (text: string): string =>
  text.replaceAll(anyKey, (key) => `${visiblePrefix(key)}…`);

/** Computed without big integers: the checksum of the key of each request is compared. */
function checksum(body: string): string {
  let text = "";
  for (let rest = crc32(body); rest > 0; rest = Math.floor(rest / 62)) text = digits.charAt(rest % 62) + text;
  return text.padStart(checksumLength, "0");
}
