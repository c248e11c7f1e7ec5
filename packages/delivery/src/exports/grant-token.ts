import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";

/**
 * Prefix of tokens, which secret scanners can look for. 256 random bits follow, and a checksum that lets a mistyped token be refused
 * without a look-up.
 */
const prefix = "ldsg_";
const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/** Number of random bytes in a token. */
export const secretBytes = 32;
/** Number of base-62 digits for 256 bits and for 32 bits. */
const [secretLength, checksumLength] = [43, 6];

const pattern = new RegExp(`^${prefix}[0-9A-Za-z]{${secretLength + checksumLength}}$`);

/** Returns the token for {@link secretBytes} random bytes. */
export function tokenOf(secret: Uint8Array): string {
  const body = prefix + base62(BigInt(`0x${Buffer.from(secret).toString("hex")}`), secretLength);
  return body + checksum(body);
}

/** Returns the digest that is stored for a token; undefined if the text cannot be a token. */
export function digestOfToken(text: string): string | undefined {
  if (!pattern.test(text)) return undefined;
  if (text.slice(-checksumLength) !== checksum(text.slice(0, -checksumLength))) return undefined;
  return createHash("sha256").update(text).digest("hex");
}

const checksum = (body: string) => base62(BigInt(crc32(body)), checksumLength);

function base62(number: bigint, length: number): string {
  let text = "";
  for (let rest = number; rest > 0n; rest /= 62n) text = digits.charAt(Number(rest % 62n)) + text;
  return text.padStart(length, "0");
}
