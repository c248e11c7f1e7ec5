import Big from "big.js";

/** A number of any Edm numeric type in memory form. */
export type EdmNumber = bigint | number | Big;

/** Compares two numbers of any types by mathematical value, exactly. NaN sorts below everything. */
export function compareNumbers(a: EdmNumber, b: EdmNumber): number {
  if (typeof a === typeof b && typeof a !== "object") return compareSame(a, b as typeof a);
  if (typeof a === "number" && !Number.isFinite(a)) return a > 0 ? 1 : -1;
  if (typeof b === "number" && !Number.isFinite(b)) return b > 0 ? -1 : 1;
  return toBig(a).cmp(toBig(b));
}

function compareSame<T extends bigint | number>(a: T, b: T): number {
  if (a === b) return 0;
  if (a < b) return -1;
  return a > b ? 1 : Number(Number.isNaN(Number(b))) - Number(Number.isNaN(Number(a)));
}

/**
 * Converts a number exactly, digit by digit. A double has the value of its shortest decimal representation.
 */
export const toBig = (n: EdmNumber): Big => (typeof n === "object" ? n : new Big(n.toString()));
