import type { Instant } from "./types.ts";

/**
 * Picoseconds per second. The picosecond is the finest fraction of a second that the grammar of the standard
 * allows.
 */
export const picosecondsPerSecond = 1_000_000_000_000n;
export const picosecondsPerMinute = 60n * picosecondsPerSecond;
export const picosecondsPerHour = 60n * picosecondsPerMinute;
export const picosecondsPerDay = 24n * picosecondsPerHour;

// With years of at most eight digits, seconds since the epoch are exact as a number.
const date = String.raw`(-?(?:0\d{3}|[1-9]\d{3,7}))-(\d\d)-(\d\d)`;
const time = String.raw`(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,12}))?)?`;
const datePattern = new RegExp(`^${date}$`);
const timePattern = new RegExp(`^${time}$`);
const instantPattern = new RegExp(`^${date}T${time}(?:Z|([+-])(\\d\\d):(\\d\\d))$`, "i");
const durationPattern =
  /^([+-])?P(?=\d|T\d)(?:(\d{1,255})D)?(?:T(?=\d)(?:(\d{1,255})H)?(?:(\d{1,255})M)?(?:(\d{1,255})(?:\.(\d{1,12}))?S)?)?$/i;

/** Converts the digits after the decimal point to picoseconds. */
const fraction = (digits: string | undefined): number =>
  digits === undefined ? 0 : Number(digits.padEnd(12, "0"));

/** Days from 1970-01-01 to a date in the proleptic Gregorian calendar, for any year. */
function daysFromCivil(year: number, month: number, dayOfMonth: number): number {
  // Years start in March here, so that the leap day is the last day of a year.
  const y = month <= 2 ? year - 1 : year;
  const era = Math.floor(y / 400);
  const yearOfEra = y - era * 400;
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + dayOfMonth - 1;
  return (
    era * 146_097 +
    yearOfEra * 365 +
    Math.floor(yearOfEra / 4) -
    Math.floor(yearOfEra / 100) +
    dayOfYear -
    719_468
  );
}

export type Civil = { readonly year: number; readonly month: number; readonly day: number };

/** Inverse of {@link daysFromCivil}. */
export function civilFromDays(days: number): Civil {
  const z = days + 719_468;
  const era = Math.floor(z / 146_097);
  const dayOfEra = z - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra -
      Math.floor(dayOfEra / 1460) +
      Math.floor(dayOfEra / 36_524) -
      Math.floor(dayOfEra / 146_096)) /
      365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const shifted = Math.floor((5 * dayOfYear + 2) / 153);
  const month = shifted < 10 ? shifted + 3 : shifted - 9;
  return {
    year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0),
    month,
    day: dayOfYear - Math.floor((153 * shifted + 2) / 5) + 1,
  };
}

const monthLengths = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Converts year, month and day in digits to days since 1970-01-01; undefined if the date does not exist. */
function daysOf(
  years: string | undefined,
  months: string | undefined,
  days: string | undefined,
): number | undefined {
  const [year, month, dayOfMonth] = [Number(years), Number(months), Number(days)];
  if (dayOfMonth < 1 || dayOfMonth > (monthLengths[month - 1] ?? 0)) return undefined;
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return month === 2 && dayOfMonth === 29 && !isLeap ? undefined : daysFromCivil(year, month, dayOfMonth);
}

/** Parses `2024-02-29` to days since 1970-01-01; returns undefined if the text is not a date. */
export function parseDate(text: string): number | undefined {
  const match = datePattern.exec(text);
  return match === null ? undefined : daysOf(match[1], match[2], match[3]);
}

export function printDate(days: number): string {
  const { year, month, day: dayOfMonth } = civilFromDays(days);
  const sign = year < 0 ? "-" : "";
  const pad = (n: number, width: number) => String(n).padStart(width, "0");
  return `${sign}${pad(Math.abs(year), 4)}-${pad(month, 2)}-${pad(dayOfMonth, 2)}`;
}

/** Seconds since midnight; undefined if the time does not exist. */
function secondsOf(
  hours: string | undefined,
  minutes: string | undefined,
  seconds = "0",
): number | undefined {
  const [h, m, s] = [Number(hours), Number(minutes), Number(seconds)];
  return h > 23 || m > 59 || s > 59 ? undefined : h * 3600 + m * 60 + s;
}

/** Parses `23:59:59.5` to picoseconds since midnight. Seconds are optional. */
export function parseTimeOfDay(text: string): bigint | undefined {
  const match = timePattern.exec(text);
  const seconds = match === null ? undefined : secondsOf(match[1], match[2], match[3]);
  return seconds === undefined
    ? undefined
    : BigInt(seconds) * picosecondsPerSecond + BigInt(fraction(match?.[4]));
}

/** Prints a time of day with at least `digits` fractional digits, and more if the value has them. */
export function printTimeOfDay(value: bigint, digits = 0): string {
  const pad = (n: bigint) => String(n).padStart(2, "0");
  const exact = String(value % picosecondsPerSecond)
    .padStart(12, "0")
    .replace(/0+$/, "")
    .padEnd(digits, "0");
  const time = `${pad(value / picosecondsPerHour)}:${pad((value / picosecondsPerMinute) % 60n)}:${pad((value / picosecondsPerSecond) % 60n)}`;
  return exact === "" ? time : `${time}.${exact}`;
}

/** Parses `2024-01-15T08:30Z` or `2024-01-15T08:30:00.123-08:00`. The letters may be lower case. */
export function parseInstant(text: string): Instant | undefined {
  const match = instantPattern.exec(text);
  if (match === null) return undefined;
  const days = daysOf(match[1], match[2], match[3]);
  const seconds = secondsOf(match[4], match[5], match[6]);
  const offset = match[8] === undefined ? 0 : offsetOf(match[8], Number(match[9]), Number(match[10]));
  if (days === undefined || seconds === undefined || offset === undefined) return undefined;
  // Plain numbers up to here, because arithmetic on large integers is slow.
  const whole = days * 86_400 + seconds - offset * 60;
  return { picoseconds: BigInt(whole) * picosecondsPerSecond + BigInt(fraction(match[7])), offset };
}

const offsetOf = (sign: string, hours: number, minutes: number): number | undefined =>
  hours > 14 || minutes > 59 ? undefined : (sign === "-" ? -1 : 1) * (hours * 60 + minutes);

/** Splits an instant into whole days in UTC and the time of that day. */
export function splitInstant(picoseconds: bigint): { readonly days: number; readonly time: bigint } {
  const time = ((picoseconds % picosecondsPerDay) + picosecondsPerDay) % picosecondsPerDay;
  return { days: Number((picoseconds - time) / picosecondsPerDay), time };
}

/**
 * Prints an instant in UTC with at least three fractional digits, the form of every timestamp in a response.
 */
export function printInstant({ picoseconds }: Instant): string {
  const { days, time } = splitInstant(picoseconds);
  return `${printDate(days)}T${printTimeOfDay(time, 3)}Z`;
}

/** Parses `P1DT2H` or `-PT0.5S`. Years and months are not allowed, as in the standard. */
export function parseDuration(text: string): bigint | undefined {
  const match = durationPattern.exec(text);
  if (match === null) return undefined;
  const part = (index: number) => BigInt(match[index] ?? 0);
  const length =
    part(2) * picosecondsPerDay +
    part(3) * picosecondsPerHour +
    part(4) * picosecondsPerMinute +
    part(5) * picosecondsPerSecond +
    BigInt(fraction(match[6]));
  return match[1] === "-" ? -length : length;
}

export function printDuration(value: bigint): string {
  if (value === 0n) return "PT0S";
  const length = value < 0n ? -value : value;
  const days = length / picosecondsPerDay;
  const [hours, minutes, seconds] = [
    (length / picosecondsPerHour) % 24n,
    (length / picosecondsPerMinute) % 60n,
    (length / picosecondsPerSecond) % 60n,
  ];
  const digits = String(length % picosecondsPerSecond)
    .padStart(12, "0")
    .replace(/0+$/, "");
  const parts = [
    hours === 0n ? "" : `${hours}H`,
    minutes === 0n ? "" : `${minutes}M`,
    seconds === 0n && digits === "" ? "" : `${seconds}${digits === "" ? "" : `.${digits}`}S`,
  ].join("");
  return `${value < 0n ? "-" : ""}P${days === 0n ? "" : `${days}D`}${parts === "" ? "" : `T${parts}`}`;
}
