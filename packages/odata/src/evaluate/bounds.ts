import Big from "big.js";
import { splitInstant } from "../model/temporal.ts";
import type { Instant, ValueType } from "../model/types.ts";

/** A decimal has at most this many digits before the point, and after it: no database can hold more. */
const [digitsBefore, digitsAfter] = [50_000, 16_383];

/** 0001-01-01 and 9999-12-31, in days: results outside are null, as a database cannot hold them. */
const [firstDay, lastDay] = [-719_162, 2_932_896];

/** Digits after the point. */
const scaleOf = ({ c, e }: Big): number => Math.max(0, c.length - 1 - e);

/** The decimal, or null where it is too great. */
export const bounded = (value: Big): Big | null => (value.e < digitsBefore ? value : null);

/** Whether a product has no more digits after the point than there may be. */
export const isShort = (a: Big, b: Big): boolean => scaleOf(a) + scaleOf(b) <= digitsAfter;

/** The whole number, or null where it is too great. */
export const boundedWhole = (value: Big): bigint | null => {
  const whole = bounded(value.round(0, Big.roundDown));
  return whole === null ? null : BigInt(whole.toFixed());
};

export const dateOrNull = (days: number): number | null => (days < firstDay || days > lastDay ? null : days);

export const instantOrNull = (instant: Instant): Instant | null =>
  dateOrNull(splitInstant(instant.picoseconds).days) === null ? null : instant;

/** Whether a constant is within the bounds of what is computed, where NaN is null. A comparison takes any constant. */
export function isBounded(value: unknown, type: ValueType | "Null"): boolean {
  if (Number.isNaN(value)) return false;
  if (type === "Edm.Date") return dateOrNull(value as number) !== null;
  return type !== "Edm.DateTimeOffset" || instantOrNull(value as Instant) !== null;
}
