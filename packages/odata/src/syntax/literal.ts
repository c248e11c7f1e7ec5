import { QueryError } from "../errors.ts";
import type { LiteralType, Span } from "./tree.ts";

/** A test of a literal's text, and the sentence that says what is wrong where it fails. */
type Check = { readonly pattern: RegExp; readonly reason: string };

const time = String.raw`(?:[01]\d|2[0-3]):[0-5]\d(?::(?:[0-5]\d|60)(?:\.\d{1,12})?)?`;
const date = String.raw`-?(?:0\d{3}|[1-9]\d{3,})-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])`;

/**
 * What the text of a literal must be once its form is known. Whether a day exists in its month and whether a
 * number fits its type is decided when the literal is bound.
 *
 * Source: OData 4.01 ABNF, `dateValue`, `timeOfDayValue`, `durationValue`, `binaryValue`.
 */
const checks: Partial<Record<LiteralType, Check>> = {
  Date: { pattern: new RegExp(`^${date}$`), reason: "the month is 01 to 12, the day 01 to 31" },
  TimeOfDay: {
    pattern: new RegExp(`^${time.replace("|60", "")}$`),
    reason: "the hour is 00 to 23, minute and second 00 to 59, at most 12 fraction digits",
  },
  DateTimeOffset: {
    pattern: new RegExp(String.raw`^${date}T${time}(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$`, "i"),
    reason: "month, day, hour, minute, second or offset is out of range, or has over 12 fraction digits",
  },
  Duration: {
    pattern: /^-?P(?=\d|T\d)(?:\d+D)?(?:T(?=\d)(?:\d+H)?(?:\d+M)?(?:\d+(?:\.\d+)?S)?)?$/i,
    reason: "a duration has days, hours, minutes and seconds, as in `P1DT2H3M4.5S`",
  },
  Binary: {
    pattern: /^(?:[\w-]{4})*(?:[\w-]{2}={0,2}|[\w-]{3}=?)?$/,
    reason: "binary values are written in base64url",
  },
};

/** Refuse `value` where it cannot be a literal of the type that its form says. */
export function checkLiteral(type: LiteralType, value: string, span: Span): void {
  const check = checks[type];
  if (check === undefined || check.pattern.test(value)) return;
  throw new QueryError("invalid_literal", span, { text: value, type: `Edm.${type}`, reason: check.reason });
}

const enumMembers = /^(?:[\p{L}_][\p{L}\p{N}_]*|[+-]?\d+)(?:,(?:[\p{L}_][\p{L}\p{N}_]*|[+-]?\d+))*$/u;

/** Refuse the text between the quotes of an enumeration literal where it names no members. */
export function checkEnum(typeName: string, value: string, span: Span): void {
  if (enumMembers.test(value)) return;
  const reason = "members are names or numbers with commas between them";
  throw new QueryError("invalid_literal", span, { text: value, type: typeName, reason });
}

/** Which of the numeral types a numeral's text has. */
export function numeralTypeOf(text: string): "Integer" | "Decimal" | "Double" {
  if (/[eEN]/.test(text)) return "Double";
  return text.includes(".") ? "Decimal" : "Integer";
}

const escapes: Readonly<Record<string, string>> = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" };

/** The value of a JSON string that is written with its quotes. Unknown escapes stand for themselves. */
export function jsonString(written: string): string {
  return written
    .slice(1, -1)
    .replace(/\\(?:u([\dA-Fa-f]{4})|([\s\S]))/g, (_, code: string | undefined, character: string) =>
      code === undefined ? (escapes[character] ?? character) : String.fromCharCode(Number.parseInt(code, 16)),
    );
}
