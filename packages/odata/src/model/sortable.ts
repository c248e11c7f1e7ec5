import Big from "big.js";
import type { EdmNumber } from "./numbers.ts";

/** Added to a decimal's exponent to make it a non-negative number of at most five digits. */
const bias = 50_000;
const [negative, zero, positive] = ["0", "1", "2"];
const [lowest, highest] = [".", "9"];

/**
 * Encodes a number as text whose order by code point is the numeric order, and which is equal exactly if the
 * numbers are equal. For databases without exact decimals of arbitrary size. Undefined for NaN, and for magnitudes
 * beyond 10^±50,000.
 */
export function toSortable(n: EdmNumber): string | undefined {
  if (typeof n === "number" && !Number.isFinite(n)) {
    return Number.isNaN(n) ? undefined : n > 0 ? highest : lowest;
  }
  const { c, e, s } = new Big(typeof n === "bigint" ? n.toString() : n);
  if (c[0] === 0) return zero;
  const exponent = e + bias;
  if (exponent < 0 || exponent > 99_999) return undefined;
  if (s > 0) return positive + digits(exponent) + c.join("");
  // Negative numbers: the digits are complemented, and the end mark sorts after all digits, so that the larger
  // magnitude sorts first.
  return `${negative}${digits(99_999 - exponent)}${c.map((digit) => 9 - digit).join("")}~`;
}

const digits = (n: number): string => String(n).padStart(5, "0");

/** Decodes a text of {@link toSortable}; returns undefined for infinities, and for a text without digits after the exponent. */
export function fromSortable(text: string): Big | undefined {
  const sign = text[0];
  if (sign === zero) return new Big(0);
  if (sign !== positive && sign !== negative) return undefined;
  const turned = sign === negative;
  const written = Number(text.slice(1, 6));
  const exponent = (turned ? 99_999 - written : written) - bias;
  const mantissa = turned
    ? Array.from(text.slice(6, -1), (digit) => 9 - Number(digit)).join("")
    : text.slice(6);
  if (!/^\d+$/.test(mantissa)) return undefined;
  return new Big(`${turned ? "-" : ""}${mantissa[0]}.${mantissa.slice(1) || "0"}e${exponent}`);
}
