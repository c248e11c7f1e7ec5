import { QueryError } from "../errors.ts";
import { isPrimitive } from "./primitive.ts";
import type { LiteralType, Span } from "./tree.ts";

/**
 * What is wrong with a literal whose text is no value of its type. Whether a day exists in its month and
 * whether a number fits its type is decided when the literal is bound.
 */
const reasons = {
  Date: "the month is 01 to 12, the day 01 to 31",
  TimeOfDay: "the hour is 00 to 23, minute and second 00 to 59, at most 12 fraction digits",
  DateTimeOffset:
    "month, day, hour, minute, second or offset is out of range, or has over 12 fraction digits",
  Duration: "a duration has days, hours, minutes and seconds, as in `P1DT2H3M4.5S`",
  Binary: "binary values are written in base64url",
} as const satisfies Partial<Record<LiteralType, string>>;

/** `P` and `PT` alone have the form of the grammar and no value. */
const emptyDuration = /[PT]$/i;

/** Refuse `value` where it cannot be a literal of the type that its form says. */
export function checkLiteral(type: LiteralType, value: string, span: Span): void {
  if (!Object.hasOwn(reasons, type)) return;
  const form = type as keyof typeof reasons;
  if (isPrimitive(form, value) && !(form === "Duration" && emptyDuration.test(value))) return;
  throw new QueryError("invalid_literal", span, { text: value, type: `Edm.${type}`, reason: reasons[form] });
}

/** Refuse the text between the quotes of an enumeration literal where it names no members. */
export function checkEnum(typeName: string, value: string, span: Span): void {
  if (isPrimitive("Enum", value)) return;
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
