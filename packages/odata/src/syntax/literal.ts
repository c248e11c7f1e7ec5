import { QueryError } from "../errors.ts";
import { isPrimitive } from "./primitive.ts";
import type { LiteralType, Span } from "./tree.ts";

/**
 * Reasons for refusing a literal that is not a value of its type. Whether a day exists in its month, and whether a
 * number fits its type, is checked when the literal is bound.
 */
const reasons = {
  Date: "the month is 01 to 12, the day 01 to 31",
  TimeOfDay: "the hour is 00 to 23, minute and second 00 to 59, at most 12 fraction digits",
  DateTimeOffset:
    "month, day, hour, minute, second or offset is out of range, or has over 12 fraction digits",
  Duration: "a duration has days, hours, minutes and seconds, as in `P1DT2H3M4.5S`",
  Binary: "binary values are written in base64url, without bits beyond the last byte",
} as const satisfies Partial<Record<LiteralType, string>>;

/** `P` and `PT` match the grammar, but have no value. */
const emptyDuration = /[PT]$/i;

/** True if `text` is a duration, without prefix and quotes. */
export const isDuration = (text: string): boolean =>
  isPrimitive("Duration", text) && !emptyDuration.test(text);

/**
 * Checks a literal against the type that its form implies.
 *
 * @throws {QueryError} `invalid_literal`
 */
export function checkLiteral(type: LiteralType, value: string, span: Span): void {
  if (!Object.hasOwn(reasons, type)) return;
  const form = type as keyof typeof reasons;
  if (form === "Duration" ? isDuration(value) : isPrimitive(form, value)) return;
  throw new QueryError("invalid_literal", span, { text: value, type: `Edm.${type}`, reason: reasons[form] });
}

/**
 * Checks that the text between the quotes of an enumeration literal names members.
 *
 * @throws {QueryError} `invalid_literal`
 */
export function checkEnum(typeName: string, value: string, span: Span): void {
  if (isPrimitive("Enum", value)) return;
  const reason = "members are names or numbers with commas between them";
  throw new QueryError("invalid_literal", span, { text: value, type: typeName, reason });
}

/** Returns the type of a numeral, by its text. */
export function numeralTypeOf(text: string): "Integer" | "Decimal" | "Double" {
  if (/[eEN]/.test(text)) return "Double";
  return text.includes(".") ? "Decimal" : "Integer";
}

const escapes: Readonly<Record<string, string>> = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" };

/** Returns the value of a JSON string, given with its quotes. An unknown escape stands for the escaped character. */
export function jsonString(written: string): string {
  return written
    .slice(1, -1)
    .replace(/\\(?:u([\dA-Fa-f]{4})|([\s\S]))/g, (_, code: string | undefined, character: string) =>
      code === undefined ? (escapes[character] ?? character) : String.fromCharCode(Number.parseInt(code, 16)),
    );
}
