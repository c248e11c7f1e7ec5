import type { Instant } from "./types.ts";

/** Picoseconds: the finest fraction of a second that the standard's grammar can write. */
export const second = 1_000_000_000_000n;
export const minute = 60n * second;
export const hour = 60n * minute;
export const day = 24n * hour;

const datePattern = /^(-?(?:0\d{3}|[1-9]\d{3,}))-(\d\d)-(\d\d)$/;
const timePattern = /^(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,12}))?)?$/;
const offsetPattern = /^([+-])(\d\d):(\d\d)$/;
const durationPattern =
  /^([+-])?P(?=\d|T\d)(?:(\d+)D)?(?:T(?=\d)(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)(?:\.(\d{1,12}))?S)?)?$/i;

const fraction = (digits: string | undefined): bigint => BigInt((digits ?? "").padEnd(12, "0"));

/** Days from 1970-01-01 to a date of the proleptic Gregorian calendar, of any year. */
function daysFromCivil(year: number, month: number, dayOfMonth: number): number {
  // Years start in March here, so that the leap day is a year's last day.
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

/** The inverse of {@link daysFromCivil}. */
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

/** `2024-02-29` → days since 1970-01-01, or undefined if it is no date. */
export function parseDate(text: string): number | undefined {
  const match = datePattern.exec(text);
  if (match === null) return undefined;
  const [year, month, dayOfMonth] = [Number(match[1]), Number(match[2]), Number(match[3])];
  if (month < 1 || month > 12 || dayOfMonth < 1) return undefined;
  const days = daysFromCivil(year, month, dayOfMonth);
  const back = civilFromDays(days);
  return back.day === dayOfMonth && back.month === month ? days : undefined;
}

export function printDate(days: number): string {
  const { year, month, day: dayOfMonth } = civilFromDays(days);
  const sign = year < 0 ? "-" : "";
  const pad = (n: number, width: number) => String(n).padStart(width, "0");
  return `${sign}${pad(Math.abs(year), 4)}-${pad(month, 2)}-${pad(dayOfMonth, 2)}`;
}

/** `23:59:59.5` → picoseconds since midnight; seconds are optional. */
export function parseTimeOfDay(text: string): bigint | undefined {
  const match = timePattern.exec(text);
  if (match === null) return undefined;
  const [hours, minutes, seconds] = [Number(match[1]), Number(match[2]), Number(match[3] ?? 0)];
  if (hours > 23 || minutes > 59 || seconds > 59) return undefined;
  return BigInt(hours) * hour + BigInt(minutes) * minute + BigInt(seconds) * second + fraction(match[4]);
}

/** At least `digits` digits of fraction, and more where the value has them. */
export function printTimeOfDay(value: bigint, digits = 0): string {
  const pad = (n: bigint) => String(n).padStart(2, "0");
  const exact = String(value % second)
    .padStart(12, "0")
    .replace(/0+$/, "")
    .padEnd(digits, "0");
  const time = `${pad(value / hour)}:${pad((value / minute) % 60n)}:${pad((value / second) % 60n)}`;
  return exact === "" ? time : `${time}.${exact}`;
}

/** `2024-01-15T08:30Z`, `2024-01-15T08:30:00.123-08:00`; the letters may be lower case. */
export function parseInstant(text: string): Instant | undefined {
  const at = text.search(/t/i);
  if (at < 0) return undefined;
  const zone = /z$|[+-]\d\d:\d\d$/i.exec(text);
  if (zone === null) return undefined;
  const days = parseDate(text.slice(0, at));
  const time = parseTimeOfDay(text.slice(at + 1, zone.index));
  const offset = parseOffset(zone[0]);
  if (days === undefined || time === undefined || offset === undefined) return undefined;
  return { picoseconds: BigInt(days) * day + time - BigInt(offset) * minute, offset };
}

function parseOffset(text: string): number | undefined {
  const match = offsetPattern.exec(text);
  if (match === null) return 0;
  const [hours, minutes] = [Number(match[2]), Number(match[3])];
  if (hours > 14 || minutes > 59) return undefined;
  return (match[1] === "-" ? -1 : 1) * (hours * 60 + minutes);
}

/** Whole days of an instant in UTC, and the time of that day. */
export function splitInstant(picoseconds: bigint): { readonly days: number; readonly time: bigint } {
  const time = ((picoseconds % day) + day) % day;
  return { days: Number((picoseconds - time) / day), time };
}

/** UTC with at least three digits of fraction: the form of every timestamp on the wire. */
export function printInstant({ picoseconds }: Instant): string {
  const { days, time } = splitInstant(picoseconds);
  return `${printDate(days)}T${printTimeOfDay(time, 3)}Z`;
}

/** `P1DT2H`, `-PT0.5S`; no years or months, as in the standard. */
export function parseDuration(text: string): bigint | undefined {
  const match = durationPattern.exec(text);
  if (match === null) return undefined;
  const part = (index: number) => BigInt(match[index] ?? 0);
  const length = part(2) * day + part(3) * hour + part(4) * minute + part(5) * second + fraction(match[6]);
  return match[1] === "-" ? -length : length;
}

export function printDuration(value: bigint): string {
  if (value === 0n) return "PT0S";
  const length = value < 0n ? -value : value;
  const days = length / day;
  const [hours, minutes, seconds] = [(length / hour) % 24n, (length / minute) % 60n, (length / second) % 60n];
  const digits = String(length % second)
    .padStart(12, "0")
    .replace(/0+$/, "");
  const parts = [
    hours === 0n ? "" : `${hours}H`,
    minutes === 0n ? "" : `${minutes}M`,
    seconds === 0n && digits === "" ? "" : `${seconds}${digits === "" ? "" : `.${digits}`}S`,
  ].join("");
  return `${value < 0n ? "-" : ""}P${days === 0n ? "" : `${days}D`}${parts === "" ? "" : `T${parts}`}`;
}
