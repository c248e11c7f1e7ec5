import { type EdmNumber, toBig } from "../model/numbers.ts";
import { civilFromDays, picosecondsPerDay, printTimeOfDay, splitInstant } from "../model/temporal.ts";
import type { Instant } from "../model/types.ts";
import { type Encoded, type Encoder, exactValue } from "./encoded.ts";

const microsecond = 1_000_000n;

/** The first day of PostgreSQL's calendar, 4714-11-24 BC, and the last days of its date and timestamp types. */
const firstDay = -2_440_588;
const lastDate = 2_145_031_948; // 5874897-12-31
const lastInstant = 106_751_991; // 294276-12-31

/** Sorts below every day. */
const beforeAll: Encoded = { value: "-infinity", exact: false };

/** Prints a date as `2024-01-15`. The year 0 is 1 BC. */
function printDate(days: number): readonly [date: string, era: string] {
  const { year, month, day: dayOfMonth } = civilFromDays(days);
  const pad = (n: number, width: number) => String(n).padStart(width, "0");
  const date = `${pad(year > 0 ? year : 1 - year, 4)}-${pad(month, 2)}-${pad(dayOfMonth, 2)}`;
  return [date, year > 0 ? "" : " BC"];
}

/** Encodes a number as text with all of its digits. */
export const numeric: Encoder = (value) => {
  const number = value as EdmNumber;
  if (typeof number === "bigint") return exactValue(String(number));
  if (number === Number.POSITIVE_INFINITY) return exactValue("Infinity");
  return exactValue(number === Number.NEGATIVE_INFINITY ? "-Infinity" : toBig(number).toString());
};

/** Encodes a date as text, to be cast. */
export const calendarDate: Encoder = (value) => {
  const days = value as number;
  if (days < firstDay) return beforeAll;
  return { value: printDate(Math.min(days, lastDate)).join(""), exact: days <= lastDate };
};

/** Encodes an instant, in whole microseconds, as UTC text, to be cast. */
export const timestamptz: Encoder = (value) => {
  const { picoseconds: given } = value as Instant;
  const { days, time: timeOfDay } = splitInstant(given);
  if (days < firstDay) return beforeAll;
  const late = days > lastInstant;
  const { value: clock, exact } = time(late ? picosecondsPerDay - 1n : timeOfDay, unnamed);
  const [text, era] = printDate(Math.min(days, lastInstant));
  return { value: `${text} ${clock as string}+00${era}`, exact: exact && !late };
};

/** Encodes a time of day, in whole microseconds, as text, to be cast. */
export const time: Encoder = (value) => {
  const rest = (value as bigint) % microsecond;
  return { value: printTimeOfDay((value as bigint) - rest), exact: rest === 0n };
};

const unnamed = { name: "", type: "Edm.TimeOfDay", collection: false, nullable: true } as const;

/** Encodes an instant since 1970, a time since midnight, or a duration in picoseconds. */
export const picoseconds: Encoder = (value) =>
  exactValue(String(typeof value === "bigint" ? value : (value as Instant).picoseconds));
