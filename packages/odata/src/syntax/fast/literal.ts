import { parseGeo } from "../geo.ts";
import type { LiteralNode, LiteralType, SyntaxNode } from "../tree.ts";
import { closingQuote, digit, hexadecimal, is, skip, spells, twoDigits } from "./characters.ts";

const hyphen = 45;
const colon = 58;
const plus = 43;
const point = 46;

/** Number of hexadecimal digits of each group of a GUID. */
const groups = [8, 4, 4, 4, 12] as const;

const enumMembers = /^(?:[A-Za-z_]\w*|[+-]?\d+)(?:,(?:[A-Za-z_]\w*|[+-]?\d+))*$/;
const simpleDuration = /^-?P(?:\d+D)?(?:T(?=\d)(?:\d+H)?(?:\d+M)?(?:\d+(?:\.\d+)?S)?)?$(?<!P)/i;

/** Parses the string literal that starts at `start`. */
export function stringAt(text: string, start: number): SyntaxNode | undefined {
  const close = closingQuote(text, start);
  if (close < 0) return undefined;
  const raw = text.slice(start + 1, close);
  const value = raw.includes("'") ? raw.replaceAll("''", "'") : raw;
  return { kind: "Literal", start, end: close + 1, type: "String", value };
}

/**
 * Parses a literal with a prefix, such as `duration'…'` or `Ns.Type'…'`. The prefix starts at `start`, the quote is
 * at `open`.
 */
export function prefixedAt(text: string, start: number, open: number): SyntaxNode | undefined {
  const close = closingQuote(text, open);
  if (close < 0) return undefined;
  const prefix = text.slice(start, open);
  const end = close + 1;
  if (prefix.includes(".")) {
    const value = text.slice(open + 1, close);
    return enumMembers.test(value) ? { kind: "Enum", start, end, typeName: prefix, value } : undefined;
  }
  const family = prefix.toLowerCase();
  if (family === "geography" || family === "geometry") {
    const geo = parseGeo(text, open + 1, close, family);
    return "fault" in geo ? undefined : { kind: "Geo", start, end, family, srid: geo.srid, shape: geo.shape };
  }
  if (family !== "duration") return undefined;
  const value = text.slice(open + 1, close);
  return simpleDuration.test(value) ? { kind: "Literal", start, end, type: "Duration", value } : undefined;
}

/** Parses the word between `start` and `end` as a literal; returns null if it is not one. */
export function wordAt(text: string, start: number, end: number): SyntaxNode | null {
  if (end - start === 4) {
    if (spells(text, start, end, "true"))
      return { kind: "Literal", start, end, type: "Boolean", value: true };
    if (spells(text, start, end, "null")) return { kind: "Literal", start, end, type: "Null", value: null };
  } else if (end - start === 5 && spells(text, start, end, "false")) {
    return { kind: "Literal", start, end, type: "Boolean", value: false };
  }
  return null;
}

/** Returns the literal between `start` and `end`; undefined if `end` is negative. */
const literalBetween = (
  text: string,
  start: number,
  end: number,
  type: LiteralType,
): LiteralNode | undefined =>
  end < 0 ? undefined : { kind: "Literal", start, end, type, value: text.slice(start, end) };

/** Returns the end of a GUID that starts at `at`; -1 if there is none. */
function endOfGuid(text: string, at: number): number {
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

/** Parses the GUID that starts at `start`. */
export const guidAt = (text: string, start: number): LiteralNode | undefined =>
  literalBetween(text, start, endOfGuid(text, start), "Guid");

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

/** Returns the end of `hh:mm[:ss[.fraction]]` at `at`; -1 if there is none. */
function endOfTime(text: string, at: number): number {
  const hour = twoDigits(text, at);
  return hour < 0 || hour > 23 ? -1 : endOfMinutes(text, at + 2);
}

/** Returns the end of `-MM-DD` at `at`, after the year; -1 if there is none. */
function endOfDate(text: string, at: number): number {
  const month = twoDigits(text, at + 1);
  const day = twoDigits(text, at + 4);
  if (text.charCodeAt(at + 3) !== hyphen) return -1;
  return month < 1 || month > 12 || day < 1 || day > 31 ? -1 : at + 6;
}

/** Returns the end of the offset `Z` or `±hh:mm` at `at`, after a time; -1 if there is none. */
function endOfZone(text: string, at: number): number {
  const zone = text.charCodeAt(at);
  if ((zone | 32) === 122) return at + 1;
  if (zone !== hyphen && zone !== plus) return -1;
  const hour = twoDigits(text, at + 1);
  const minute = twoDigits(text, at + 4);
  if (hour < 0 || hour > 23 || minute < 0 || minute > 59) return -1;
  return text.charCodeAt(at + 3) === colon ? at + 6 : -1;
}

/** Parses the date, optionally with a time, that starts at `start` and whose year ends at `year`. */
function dateAt(text: string, start: number, year: number): LiteralNode | undefined {
  const date = endOfDate(text, year);
  if (date < 0 || (text.charCodeAt(date) | 32) !== 116) return literalBetween(text, start, date, "Date");
  const time = endOfTime(text, date + 1);
  return time < 0 ? undefined : literalBetween(text, start, endOfZone(text, time), "DateTimeOffset");
}

/**
 * Parses the literal at `start` that begins with a digit, or with a minus and a digit; returns undefined if it is not
 * in one of the common forms.
 */
export function numeralAt(text: string, start: number): LiteralNode | undefined {
  const negative = text.charCodeAt(start) === hyphen;
  const first = negative ? start + 1 : start;
  let end = skip(text, first, digit);
  if (end === first) return undefined;
  const next = text.charCodeAt(end);
  if (!negative) {
    if (next === hyphen && end - first === 4) return dateAt(text, start, end);
    if (next === colon) {
      return end - first === 2 ? literalBetween(text, start, endOfTime(text, start), "TimeOfDay") : undefined;
    }
    const guid = guidAt(text, start);
    if (guid !== undefined) return guid;
  }
  let type: LiteralType = "Integer";
  if (next === point) {
    const fraction = end + 1;
    end = skip(text, fraction, digit);
    if (end === fraction) return undefined;
    type = "Decimal";
  }
  if ((text.charCodeAt(end) | 32) === 101) {
    const sign = text.charCodeAt(end + 1);
    const exponent = sign === plus || sign === hyphen ? end + 2 : end + 1;
    end = skip(text, exponent, digit);
    if (end === exponent) return undefined;
    type = "Double";
  }
  return literalBetween(text, start, end, type);
}
