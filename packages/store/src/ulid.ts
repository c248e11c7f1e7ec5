import { randomBytes } from "node:crypto";

/** Digits of Crockford's base 32. */
const digits = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const length = 26;
/** Number of random bytes in a ULID, which follow its timestamp. */
export const ulidBytes = 10;

/**
 * Creates a ULID, an identifier that sorts by time. Source: https://github.com/ulid/spec.
 *
 * @param at milliseconds since 1970
 */
export const createUlid = (at: number): string => ulidOf(at, randomBytes(ulidBytes));

/** Returns the ULID of a time and {@link ulidBytes} given bytes. */
export function ulidOf(at: number, bytes: Uint8Array): string {
  let rest = (BigInt(at) << BigInt(8 * ulidBytes)) | BigInt(`0x${Buffer.from(bytes).toString("hex")}`);
  let text = "";
  for (let i = 0; i < length; i++, rest >>= 5n) text = digits.charAt(Number(rest & 31n)) + text;
  return text;
}
