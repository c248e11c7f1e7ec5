import { randomBytes } from "node:crypto";

/** Crockford's base 32. */
const digits = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const length = 26;
/** Bytes of a ULID beside its time. */
export const ulidBytes = 10;

/** An identifier that sorts by a time, in milliseconds since 1970. Source: https://github.com/ulid/spec. */
export const createUlid = (at: number): string => ulidOf(at, randomBytes(ulidBytes));

/** The identifier of a time and {@link ulidBytes} bytes. */
export function ulidOf(at: number, bytes: Uint8Array): string {
  let rest = (BigInt(at) << BigInt(8 * ulidBytes)) | BigInt(`0x${Buffer.from(bytes).toString("hex")}`);
  let text = "";
  for (let i = 0; i < length; i++, rest >>= 5n) text = digits.charAt(Number(rest & 31n)) + text;
  return text;
}
