import type { LiteralType } from "../tree.ts";
import { digit, hexadecimal, is, skip, twoDigits } from "./characters.ts";

/** Type of the literal that {@link endOfNumeral} matched last. */
export let numeralType: LiteralType = "Integer";

const hyphen = 45;
const colon = 58;
const point = 46;

const groups = [8, 4, 4, 4, 12] as const;

/** Returns the end of a GUID that starts at `at`; -1 if there is none. */
export function endOfGuid(text: string, at: number): number {
  let end = at;
  for (const [index, length] of groups.entries()) {
    if (index > 0) {
      if (text.charCodeAt(end) !== hyphen) return -1;
      end += 1;
    }
    for (let i = 0; i < length; i += 1) {
      if (!is(text, end, hexadecimal)) return -1;
      end += 1;
    }
  }
  return end;
}

/** Returns the end of `:mm[:ss[.fraction]]` at `at`, after the hours; -1 if there is none. */
function endOfMinutes(text: string, at: number): number {
  const minute = twoDigits(text, at + 1);
  if (text.charCodeAt(at) !== colon || minute < 0 || minute > 59) return -1;
  if (text.charCodeAt(at + 3) !== colon) return at + 3;
  const second = twoDigits(text, at + 4);
  if (second < 0 || second > 59) return -1;
  if (text.charCodeAt(at + 6) !== point) return at + 6;
  const end = skip(text, at + 7, digit);
  return end > at + 7 && end <= at + 19 ? end : -1;
}

/** Returns the end of `-MM-DD[Thh:mm…Z]` at `at`, after the year; -1 if there is none. */
function endOfDate(text: string, at: number): number {
  const month = twoDigits(text, at + 1);
  const day = twoDigits(text, at + 4);
  if (text.charCodeAt(at + 3) !== hyphen) return -1;
  if (month < 1 || month > 12 || day < 1 || day > 31) return -1;
  numeralType = "Date";
  if ((text.charCodeAt(at + 6) | 32) !== 116) return at + 6;
  numeralType = "DateTimeOffset";
  const hour = twoDigits(text, at + 7);
  if (hour < 0 || hour > 23) return -1;
  const end = endOfMinutes(text, at + 9);
  if (end < 0) return -1;
  const zone = text.charCodeAt(end);
  if ((zone | 32) === 122) return end + 1;
  if (zone !== hyphen && zone !== 43) return -1;
  const zoneHour = twoDigits(text, end + 1);
  const zoneMinute = twoDigits(text, end + 4);
  if (zoneHour < 0 || zoneHour > 23 || zoneMinute < 0 || zoneMinute > 59) return -1;
  return text.charCodeAt(end + 3) === colon ? end + 6 : -1;
}

/**
 * Returns the end of the literal at `at` that begins with a digit, or with a minus and a digit; -1 if it is not in
 * one of the common forms. Sets {@link numeralType} to its type.
 */
export function endOfNumeral(text: string, at: number): number {
  const negative = text.charCodeAt(at) === hyphen;
  const first = negative ? at + 1 : at;
  let end = skip(text, first, digit);
  if (end === first) return -1;
  const next = text.charCodeAt(end);
  if (!negative) {
    if (next === hyphen && end - first === 4) {
      return endOfDate(text, end);
    }
    if (next === colon) {
      const hour = end - first === 2 ? twoDigits(text, first) : -1;
      if (hour < 0 || hour > 23) return -1;
      numeralType = "TimeOfDay";
      return endOfMinutes(text, end);
    }
    const guid = endOfGuid(text, first);
    if (guid > 0) {
      numeralType = "Guid";
      return guid;
    }
  }
  numeralType = "Integer";
  if (next === point) {
    const fraction = end + 1;
    end = skip(text, fraction, digit);
    if (end === fraction) return -1;
    numeralType = "Decimal";
  }
  if ((text.charCodeAt(end) | 32) === 101) {
    const sign = text.charCodeAt(end + 1);
    const exponent = sign === 43 || sign === hyphen ? end + 2 : end + 1;
    end = skip(text, exponent, digit);
    if (end === exponent) return -1;
    numeralType = "Double";
  }
  return end;
}
