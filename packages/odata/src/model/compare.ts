import Big from "big.js";
import { compareNumbers, type EdmNumber } from "./numbers.ts";
import type { Instant } from "./types.ts";

/** Compares two values of comparable types for equality; null equals null, NaN equals nothing. */
export function equalValues(a: unknown, b: unknown): boolean {
  if (a === null || b === null) return a === b;
  if (Number.isNaN(a) || Number.isNaN(b)) return false;
  return compareValues(a, b) === 0;
}

/** Compares two non-null values of comparable types: negative, zero or positive. */
export function compareValues(a: unknown, b: unknown): number {
  if (typeof a === "string" && typeof b === "string") return compareCodePoints(a, b);
  if (typeof a === "boolean" && typeof b === "boolean") return Number(a) - Number(b);
  if (isInstant(a) && isInstant(b)) return compareNumbers(a.picoseconds, b.picoseconds);
  if (isNumber(a) && isNumber(b)) return compareNumbers(a, b);
  throw new TypeError("values of types that do not compare");
}

const isNumber = (v: unknown): v is EdmNumber =>
  typeof v === "bigint" || typeof v === "number" || v instanceof Big;

const isInstant = (v: unknown): v is Instant => typeof v === "object" && v !== null && "picoseconds" in v;

/** Compares by code point, as both databases do; `<` would compare UTF-16 code units. */
function compareCodePoints(a: string, b: string): number {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const [x, y] = [a.charCodeAt(i), b.charCodeAt(i)];
    if (x !== y) return isSurrogate(x) === isSurrogate(y) ? x - y : isSurrogate(x) ? 1 : -1;
  }
  return a.length - b.length;
}

const isSurrogate = (unit: number) => unit >= 0xd800 && unit <= 0xdfff;
