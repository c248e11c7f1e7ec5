import { randomBytes } from "node:crypto";

/** Crockford's base 32. */
const digits = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const length = 26;
const randomBits = 80n;

/**
 * An identifier that sorts by the time it was made at, in milliseconds since 1970.
 * Source: https://github.com/ulid/spec.
 */
export function createUlid(at: number): string {
  let rest = (BigInt(at) << randomBits) | BigInt(`0x${randomBytes(Number(randomBits) / 8).toString("hex")}`);
  let text = "";
  for (let i = 0; i < length; i++, rest >>= 5n) text = digits.charAt(Number(rest & 31n)) + text;
  return text;
}
