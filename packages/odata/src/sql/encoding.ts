import Big from "big.js";
import { compareNumbers, type EdmNumber } from "../model/numbers.ts";
import { toSortable } from "../model/sortable.ts";
import {
  picosecondsPerSecond,
  printDate,
  printInstant,
  printTimeOfDay,
  splitInstant,
} from "../model/temporal.ts";
import type { Instant } from "../model/types.ts";
import { type Encoded, type Encoder, exactValue } from "./encoded.ts";
import { calendarDate, numeric, picoseconds, time, timestamptz } from "./postgres-encoding.ts";

export type { Encoded };

const greatestInteger = 2n ** 63n - 1n;

/** Encodes an integer, or a decimal as the integer `value × 10^scale`. */
const scaled: Encoder = (value, property) => {
  if (typeof value === "bigint" && isInt64(value) && !property.scale) return exactValue(value);
  const { floor, exact } = shiftedFloor(value as EdmNumber, property.scale ?? 0);
  if (floor > greatestInteger) return { value: greatestInteger, exact: false };
  return floor < -greatestInteger - 1n ? { value: undefined, exact: false } : { value: floor, exact };
};

const isInt64 = (value: bigint): boolean => value <= greatestInteger && value >= -greatestInteger - 1n;

/** Returns the floor of `value × 10^scale`, and whether it is exact. */
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

/**
 * Encodes a number as a double. `Number()` rounds to the nearest double; if that is above the value, the next lower
 * one is used.
 */
const double: Encoder = (value) => {
  if (typeof value === "bigint" && Number.isSafeInteger(Number(value))) return exactValue(Number(value));
  // Every double preserves fifteen decimal digits.
  if (value instanceof Big && value.c.length <= 15 && Math.abs(value.e) < 290)
    return exactValue(Number(value));
  const nearest = Number((value as EdmNumber).toString());
  const order = compareNumbers(nearest, value as EdmNumber);
  return { value: order > 0 ? doubleBelow(nearest) : nearest, exact: order === 0 };
};

/** Returns the next lower double. Zero arrives as -0, because only negative numbers round up to zero. */
function doubleBelow(n: number): number {
  if (n === Number.POSITIVE_INFINITY) return Number.MAX_VALUE;
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, n);
  view.setBigInt64(0, view.getBigInt64(0) + (n > 0 ? -1n : 1n));
  return view.getFloat64(0);
}

const millisecond = picosecondsPerSecond / 1000n;
const firstDay = -719_528; // 0000-01-01
const lastDay = 2_932_896; // 9999-12-31

/** Sorts below every date. Dates before the year 0 have no text with a four-digit year. */
const beforeAll: Encoded = { value: "", exact: false };

/** Encodes a date as text, `2024-01-15`, which sorts by date from the year 0000 to the year 9999. */
const dateText: Encoder = (value) => {
  const days = value as number;
  if (days < firstDay) return beforeAll;
  return days > lastDay ? { value: "9999-12-31", exact: false } : exactValue(printDate(days));
};

/** Encodes an instant as UTC text of 24 characters, `2024-01-15T08:30:00.123Z`, which sorts by time. */
const timestampText: Encoder = (value) => {
  const { picoseconds } = value as Instant;
  const { days } = splitInstant(picoseconds);
  if (days < firstDay) return beforeAll;
  if (days > lastDay) return { value: "9999-12-31T23:59:59.999Z", exact: false };
  const rest = ((picoseconds % millisecond) + millisecond) % millisecond;
  return { value: printInstant({ picoseconds: picoseconds - rest, offset: 0 }), exact: rest === 0n };
};

/**
 * Encodes an instant as text, `2024-01-15T08:30:00.123456789012Z`. Every instant that the grammar can express has a
 * distinct text.
 */
const instantText: Encoder = (value) => {
  const { picoseconds } = value as Instant;
  const { days, time } = splitInstant(picoseconds);
  if (days < firstDay) return beforeAll;
  if (days > lastDay) return { value: "9999-12-31T23:59:59.999999999999Z", exact: false };
  return exactValue(`${printDate(days)}T${printTimeOfDay(time, 12)}Z`);
};

/** Returns the floor of an instant in units since 1970, and whether that is exact. */
function flooredInstant(value: unknown, unit: bigint): { readonly count: bigint; readonly exact: boolean } {
  const { picoseconds } = value as Instant;
  const rest = ((picoseconds % unit) + unit) % unit;
  return { count: (picoseconds - rest) / unit, exact: rest === 0n };
}

/** Encodes an instant as an integer: the number of units since 1970. */
const instantCount =
  (unit: bigint): Encoder =>
  (value) => {
    const { count, exact } = flooredInstant(value, unit);
    return { value: count, exact };
  };

/** Encodes an instant as UTC text of 20 characters, `2024-01-15T08:30:00Z`, which sorts by time. */
const secondsText: Encoder = (value) => {
  const { count, exact } = flooredInstant(value, picosecondsPerSecond);
  const { days, time } = splitInstant(count * picosecondsPerSecond);
  if (days < firstDay) return beforeAll;
  if (days > lastDay) return { value: "9999-12-31T23:59:59Z", exact: false };
  return { value: `${printDate(days)}T${printTimeOfDay(time)}Z`, exact };
};

/**
 * Encodes a number as sortable text. A number without such a text is encoded as the empty text, which sorts below
 * all others.
 */
const sortableText: Encoder = (value) => {
  const text = toSortable(value as EdmNumber);
  return text === undefined ? { value: "", exact: false } : exactValue(text);
};

/** The encodings of values in SQL, by name. A mapping chooses one for each column. */
export const encodings = {
  /** The in-memory form. */
  plain: (value) => exactValue(value),
  /** 0 or 1. */
  bit: (value) => exactValue(value === true ? 1n : 0n),
  scaled,
  double,
  dateText,
  timestampText,
  instantText,
  secondsText,
  /** Seconds since 1970, an integer. */
  seconds: instantCount(picosecondsPerSecond),
  /** Milliseconds since 1970, an integer. */
  milliseconds: instantCount(millisecond),
  /** `08:30:00.5`, without trailing zeros in the fraction, so that it sorts. */
  timeText: (value) => exactValue(printTimeOfDay(value as bigint)),
  sortableText,
  /** Text in a column with any collation. */
  text: (value) => exactValue(value),
  numeric,
  date: calendarDate,
  timestamptz,
  time,
  picoseconds,
  /** GeoJSON. */
  jsonText: (value) => exactValue(JSON.stringify(value)),
} as const satisfies Record<string, Encoder>;

export type EncodingName = keyof typeof encodings;
