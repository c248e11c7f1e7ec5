import Big from "big.js";
import { compareNumbers, type EdmNumber } from "../model/numbers.ts";
import { toSortable } from "../model/sortable.ts";
import { printDate, printInstant, printTimeOfDay, second, splitInstant } from "../model/temporal.ts";
import type { Instant } from "../model/types.ts";
import { type Encoded, type Encoding, exactly } from "./encoded.ts";
import { date, numeric, picoseconds, time, timestamptz } from "./postgres-encoding.ts";

export type { Encoded };

const greatestInteger = 2n ** 63n - 1n;

/** An integer, or a decimal as the integer `value × 10^scale`. */
const scaled: Encoding = (value, property) => {
  if (typeof value === "bigint" && isInt64(value) && !property.scale) return exactly(value);
  const { floor, exact } = shiftedFloor(value as EdmNumber, property.scale ?? 0);
  if (floor > greatestInteger) return { value: greatestInteger, exact: false };
  return floor < -greatestInteger - 1n ? { value: undefined, exact: false } : { value: floor, exact };
};

const isInt64 = (value: bigint): boolean => value <= greatestInteger && value >= -greatestInteger - 1n;

/** Floor of `value × 10^scale`, and whether nothing was cut off. */
function shiftedFloor(value: EdmNumber, scale: number): { readonly floor: bigint; readonly exact: boolean } {
  if (typeof value === "bigint") return { floor: value * 10n ** BigInt(scale), exact: true };
  if (value === Number.POSITIVE_INFINITY) return { floor: 2n * greatestInteger, exact: false };
  if (value === Number.NEGATIVE_INFINITY) return { floor: -2n * greatestInteger, exact: false };
  const [digits = "0", power = "0"] = value.toString().split("e");
  const [whole = "0", fraction = ""] = digits.replace("-", "").split(".");
  const shift = scale + Number(power) - fraction.length;
  const magnitude = BigInt(whole + fraction);
  const negative = digits.startsWith("-");
  if (shift >= 0) {
    const floor = magnitude * 10n ** BigInt(Math.min(shift, 400));
    return { floor: negative ? -floor : floor, exact: true };
  }
  const divisor = 10n ** BigInt(Math.min(-shift, 400 + fraction.length));
  const exact = magnitude % divisor === 0n;
  const quotient = magnitude / divisor;
  if (!negative) return { floor: quotient, exact };
  return { floor: exact ? -quotient : -quotient - 1n, exact };
}

/** A double. `Number()` rounds to the nearest, so what was rounded up goes one double down. */
const double: Encoding = (value) => {
  if (typeof value === "bigint" && Number.isSafeInteger(Number(value))) return exactly(Number(value));
  // Fifteen digits are what every double keeps.
  if (value instanceof Big && value.c.length <= 15 && Math.abs(value.e) < 290) return exactly(Number(value));
  const nearest = Number((value as EdmNumber).toString());
  const order = compareNumbers(nearest, value as EdmNumber);
  return { value: order > 0 ? doubleBelow(nearest) : nearest, exact: order === 0 };
};

/** Zero comes as -0 here, since what rounds up to zero is negative. */
function doubleBelow(n: number): number {
  if (n === Number.POSITIVE_INFINITY) return Number.MAX_VALUE;
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, n);
  view.setBigInt64(0, view.getBigInt64(0) + (n > 0 ? -1n : 1n));
  return view.getFloat64(0);
}

const millisecond = second / 1000n;
const firstDay = -719_528; // 0000-01-01
const lastDay = 2_932_896; // 9999-12-31

/** Text below every date: what is before the year 0 has no text of four digits. */
const beforeAll: Encoded = { value: "", exact: false };

/** `2024-01-15`: text that sorts by date from the year 0000 to the year 9999. */
const dateText: Encoding = (value) => {
  const days = value as number;
  if (days < firstDay) return beforeAll;
  return days > lastDay ? { value: "9999-12-31", exact: false } : exactly(printDate(days));
};

/** `2024-01-15T08:30:00.123Z`: UTC text of 24 characters that sorts by time. */
const timestampText: Encoding = (value) => {
  const { picoseconds } = value as Instant;
  const { days } = splitInstant(picoseconds);
  if (days < firstDay) return beforeAll;
  if (days > lastDay) return { value: "9999-12-31T23:59:59.999Z", exact: false };
  const rest = ((picoseconds % millisecond) + millisecond) % millisecond;
  return { value: printInstant({ picoseconds: picoseconds - rest, offset: 0 }), exact: rest === 0n };
};

/** `2024-01-15T08:30:00.123456789012Z`: every instant that the grammar can write has its own text. */
const instantText: Encoding = (value) => {
  const { picoseconds } = value as Instant;
  const { days, time } = splitInstant(picoseconds);
  if (days < firstDay) return beforeAll;
  if (days > lastDay) return { value: "9999-12-31T23:59:59.999999999999Z", exact: false };
  return exactly(`${printDate(days)}T${printTimeOfDay(time, 12)}Z`);
};

/** A number as text that sorts. What has none sorts with the greatest below it: with nothing. */
const sortableText: Encoding = (value) => {
  const text = toSortable(value as EdmNumber);
  return text === undefined ? { value: "", exact: false } : exactly(text);
};

/** The forms that values may have in SQL. A mapping names one for each column. */
export const encodings = {
  /** As it is in memory. */
  plain: (value) => exactly(value),
  /** 0 and 1. */
  bit: (value) => exactly(value === true ? 1n : 0n),
  scaled,
  double,
  dateText,
  timestampText,
  instantText,
  /** `08:30:00.5`: no zero at the end of the fraction, so that it sorts. */
  timeText: (value) => exactly(printTimeOfDay(value as bigint)),
  sortableText,
  /** Text in a column of any collation. */
  text: (value) => exactly(value),
  numeric,
  date,
  timestamptz,
  time,
  picoseconds,
  /** GeoJSON. */
  jsonText: (value) => exactly(JSON.stringify(value)),
} as const satisfies Record<string, Encoding>;

export type EncodingName = keyof typeof encodings;
