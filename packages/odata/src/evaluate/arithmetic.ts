import Big from "big.js";
import { type EdmNumber, toBig } from "../model/numbers.ts";
import { picosecondsPerDay } from "../model/temporal.ts";
import type { Instant, PrimitiveType } from "../model/types.ts";
import type { ArithmeticOperator } from "../syntax/tree.ts";
import { boundedWhole, dateOrNull, instantOrNull, isShort, withinDecimal } from "./bounds.ts";

/**
 * Digits after the point of a decimal quotient; the rest is truncated. A fixed number gives the same digits on
 * every engine. (The standard leaves the precision of a division open.)
 */
const quotientDigits = 20;

const Decimal = Big();
Decimal.DP = quotientDigits;
Decimal.RM = Big.roundDown;

const [leastInt64, greatestInt64] = [-(2n ** 63n), 2n ** 63n - 1n];

type Operation<T> = (left: T, right: T) => T | null;

/** Integer arithmetic: `5 div 2` is 2, and `mod` has the sign of the left operand. */
const integers: Record<ArithmeticOperator, Operation<bigint>> = {
  add: (a, b) => a + b,
  sub: (a, b) => a - b,
  mul: (a, b) => a * b,
  div: (a, b) => (b === 0n ? null : a / b),
  divby: (a, b) => (b === 0n ? null : a / b),
  mod: (a, b) => (b === 0n ? null : a % b),
};

const quotient: Operation<Big> = (a, b) => (b.eq(0) ? null : withinDecimal(new Big(new Decimal(a).div(b))));

const decimals: Record<ArithmeticOperator, Operation<Big>> = {
  add: (a, b) => withinDecimal(a.plus(b)),
  sub: (a, b) => withinDecimal(a.minus(b)),
  mul: (a, b) => (isShort(a, b) ? withinDecimal(a.times(b)) : null),
  div: quotient,
  divby: quotient,
  mod: (a, b) => (b.eq(0) ? null : a.mod(b)),
};

/**
 * IEEE 754 arithmetic, except that NaN becomes null, and the sign of zero is ignored, because not every database
 * keeps it.
 */
const doubles: Record<ArithmeticOperator, Operation<number>> = {
  add: (a, b) => a + b,
  sub: (a, b) => a - b,
  mul: (a, b) => a * b,
  div: (a, b) => a / (b + 0),
  divby: (a, b) => a / (b + 0),
  mod: (a, b) => a % b,
};

/** Computes `left operator right` in `type`; returns null if the result cannot be represented in it, or divides by zero: only doubles have an infinity for that. */
export function arithmetic(
  operator: ArithmeticOperator,
  type: PrimitiveType,
  left: unknown,
  right: unknown,
): unknown {
  switch (type) {
    case "Edm.Int64":
      return int64(integers[operator](left as bigint, right as bigint));
    case "Edm.Decimal":
      return decimals[operator](toBig(left as EdmNumber), toBig(right as EdmNumber));
    case "Edm.Single":
      return double(Math.fround(doubles[operator](Number(left), Number(right)) ?? Number.NaN));
    case "Edm.Double":
      return double(doubles[operator](Number(left), Number(right)) ?? Number.NaN);
    case "Edm.Date":
      return date(left as number, signed(operator, right as bigint));
    case "Edm.DateTimeOffset":
      return instant(left as Instant, signed(operator, right as bigint));
    default:
      return duration(operator, left, right);
  }
}

export function negate(type: PrimitiveType, operand: unknown): unknown {
  if (operand instanceof Big) return operand.times(-1);
  if (typeof operand === "number") return -operand;
  return type === "Edm.Int64" ? int64(-(operand as bigint)) : -(operand as bigint);
}

const int64 = (value: bigint | null) =>
  value === null || value < leastInt64 || value > greatestInt64 ? null : value;

const double = (value: number) => (Number.isNaN(value) ? null : value);

const signed = (operator: ArithmeticOperator, length: bigint) => (operator === "sub" ? -length : length);

const floorDays = (length: bigint) =>
  (length - (((length % picosecondsPerDay) + picosecondsPerDay) % picosecondsPerDay)) / picosecondsPerDay;

function date(days: number, length: bigint): number | null {
  return dateOrNull(days) === null ? null : dateOrNull(days + Number(floorDays(length)));
}

function instant(from: Instant, length: bigint): Instant | null {
  if (instantOrNull(from) === null) return null;
  return instantOrNull({ picoseconds: from.picoseconds + length, offset: from.offset });
}

/**
 * Computes a duration: the sum of durations, a duration scaled by a number, or the difference of two dates or two
 * instants.
 */
function duration(operator: ArithmeticOperator, left: unknown, right: unknown): bigint | null {
  if (isInstant(left) && isInstant(right)) return between(left, right);
  // Two plain numbers are dates (numbers of days): a double never occurs on both sides.
  if (typeof left === "number" && typeof right === "number") return daysBetween(left, right);
  const [a, b] = [left as EdmNumber, right as EdmNumber];
  if ([a, b].some((n) => typeof n === "number" && !Number.isFinite(n))) return null;
  const [x, y] = [toBig(a), toBig(b)];
  switch (operator) {
    case "add":
      return boundedWhole(x.plus(y));
    case "sub":
      return boundedWhole(x.minus(y));
    case "mul":
      return boundedWhole(x.times(y));
    default: {
      const exact = quotient(x, y);
      return exact === null ? null : boundedWhole(exact);
    }
  }
}

const isInstant = (value: unknown): value is Instant =>
  typeof value === "object" && value !== null && "picoseconds" in value;

const between = (left: Instant, right: Instant): bigint | null =>
  instantOrNull(left) === null || instantOrNull(right) === null ? null : left.picoseconds - right.picoseconds;

const daysBetween = (left: number, right: number): bigint | null =>
  dateOrNull(left) === null || dateOrNull(right) === null ? null : BigInt(left - right) * picosecondsPerDay;
