import { randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";

/**
 * The text of an API key: a prefix that secret scanners can look for, 256 random bits, and a checksum that lets
 * the edge refuse a mistyped key before it looks anything up.
 */
const prefix = "cadastre_";
const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const secretBytes = 32;
/** Digits of 256 bits and of 32 bits in base 62. */
const secretLength = 43;
const checksumLength = 6;

const pattern = new RegExp(`^${prefix}[0-9A-Za-z]{${secretLength + checksumLength}}$`);

/** Characters of a key that are no secret: enough to tell one from another. */
const visibleLength = 14;

export const visiblePrefix = (apiKey: string): string => apiKey.slice(0, visibleLength);

/** A new key. */
export function createApiKey(secret: Uint8Array = randomBytes(secretBytes)): string {
  const number = BigInt(`0x${Buffer.from(secret).toString("hex")}`);
  const body = prefix + base62(number, secretLength);
  return body + checksum(body);
}

/** Whether the text has the form of a key and its checksum fits. Says nothing of whether the key is known. */
export function isWellFormed(text: string): boolean {
  if (!pattern.test(text)) return false;
  const body = text.slice(0, -checksumLength);
  return text.slice(-checksumLength) === checksum(body);
}

const checksum = (body: string) => base62(BigInt(crc32(body)), checksumLength);

function base62(number: bigint, length: number): string {
  let text = "";
  for (let rest = number; rest > 0n; rest /= 62n) text = digits.charAt(Number(rest % 62n)) + text;
  return text.padStart(length, "0");
}
