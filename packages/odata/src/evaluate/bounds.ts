import Big from "big.js";
import { splitInstant } from "../model/temporal.ts";
import type { Instant, ValueType } from "../model/types.ts";

/** Maximum number of digits of a decimal before and after the point: no database can hold more. */
const [digitsBefore, digitsAfter] = [50_000, 16_383];

/** 0001-01-01 and 9999-12-31, in days. Results outside this range are null, because a database cannot hold them. */
const [firstDay, lastDay] = [-719_162, 2_932_896];

/** Number of digits after the point. */
const scaleOf = ({ c, e }: Big): number => Math.max(0, c.length - 1 - e);

/** Returns the decimal, or null if it is too large. */
export const withinDecimal = (value: Big): Big | null => (value.e < digitsBefore ? value : null);

/** True if the product of two decimals has no more digits after the point than allowed. */
export const isShort = (a: Big, b: Big): boolean => scaleOf(a) + scaleOf(b) <= digitsAfter;

/** Truncates to an integer; returns null if it is too large. */
export const boundedWhole = (value: Big): bigint | null => {
  const whole = withinDecimal(value.round(0, Big.roundDown));
  return whole === null ? null : BigInt(whole.toFixed());
};

export const dateOrNull = (days: number): number | null => (days < firstDay || days > lastDay ? null : days);

export const instantOrNull = (instant: Instant): Instant | null =>
  dateOrNull(splitInstant(instant.picoseconds).days) === null ? null : instant;

/**
 * True if a constant is within the bounds of computed values, which exclude NaN. Operands of a comparison are not
 * limited by these bounds.
 */
export function isBounded(value: unknown, type: ValueType | "Null"): boolean {
  if (Number.isNaN(value)) return false;
  if (type === "Edm.Date") return dateOrNull(value as number) !== null;
  return type !== "Edm.DateTimeOffset" || instantOrNull(value as Instant) !== null;
}
