import Big from "big.js";
import type { PrimitiveType, StructuralProperty } from "../model/types.ts";
import { codecOf } from "../model/values.ts";
import { quoteNumbers, withoutExponent } from "./record-form.ts";

/** A value of a column that is not of the property's type. It is the fault of the data or of the mapping, not of the caller. */
export class StoredValueError extends TypeError {
  override readonly name = "StoredValueError";

  constructor({ name, type, collection }: StructuralProperty) {
    super(`the column of \`${name}\` holds a value that is no ${collection ? `Collection(${type})` : type}`);
  }
}

/** Values of a boolean column, as drivers return them. */
const truths: ReadonlyMap<unknown, string> = new Map<unknown, string>([
  ...[true, 1, 1n, "1", "true"].map((one) => [one, "true"] as const),
  ...[false, 0, 0n, "0", "false"].map((one) => [one, "false"] as const),
]);

/** A whole number, which SQLite may have stored as a double. */
const whole = /^-?\d+(?:\.0+)?$/;

/** Returns the JSON text of a value in memory form, with every digit of a number. Source: OData JSON Format 4.01, section 7.1. */
export function valueText(value: unknown, type: PrimitiveType): string {
  if (value === null || value === undefined) return "null";
  if (value instanceof Big) return withoutExponent(value.toString());
  const json = codecOf(type).toJson(value);
  return typeof json === "bigint" ? String(json) : JSON.stringify(json);
}

/** Returns the JSON text of a property's value in memory form. */
export const propertyText = (value: unknown, { type, collection }: StructuralProperty): string =>
  collection
    ? `[${(value as readonly unknown[]).map((one) => valueText(one, type)).join()}]`
    : valueText(value, type);

/** Returns a reader of integers up to a size, which need not be parsed if they are numbers. */
const integers =
  (type: PrimitiveType, largest: number) =>
  (given: unknown): string | undefined =>
    typeof given === "number" && Number.isInteger(given) && Math.abs(given) <= largest
      ? String(given)
      : readText(given, type);

/**
 * Returns a reader of a type whose text is that of its JSON if it has a form that is usual in databases, and is parsed otherwise. The form
 * has no days after the 28th, which not every month has.
 */
const usually =
  (type: PrimitiveType, form: RegExp) =>
  (given: unknown): string | undefined =>
    typeof given === "string" && form.test(given) ? `"${given}"` : readText(given, type);

/** Readers of the types whose columns drivers return in several forms. They return undefined for no value of the type. */
const readers: Partial<Record<PrimitiveType, (given: unknown) => string | undefined>> = {
  "Edm.Int16": integers("Edm.Int16", 2 ** 15 - 1),
  "Edm.Int32": integers("Edm.Int32", 2 ** 31 - 1),
  "Edm.Int64": integers("Edm.Int64", Number.MAX_SAFE_INTEGER),
  "Edm.Date": usually("Edm.Date", /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])$/),
  "Edm.DateTimeOffset": usually(
    "Edm.DateTimeOffset",
    /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/,
  ),
  // Computed durations may have more digits than those that are parsed.
  "Edm.Duration": usually(
    "Edm.Duration",
    /^-?P[1-9]\d{255,}D(?:T(?:\d\d?H)?(?:\d\d?M)?(?:\d\d?(?:\.\d{1,12})?S)?)?$/,
  ),
  "Edm.String": (given) => JSON.stringify(typeof given === "string" ? given : String(given)),
  "Edm.Boolean": (given) => truths.get(given),
  "Edm.Binary": (given) =>
    given instanceof Uint8Array
      ? `"${Buffer.from(given).toString("base64url")}"`
      : readText(given, "Edm.Binary"),
};

/** Reads a value in JSON form, or as the text of a literal. */
function readText(given: unknown, type: PrimitiveType): string | undefined {
  const codec = codecOf(type);
  const text = typeof given === "string" && whole.test(given) ? given.replace(/\.0+$/, "") : given;
  const value = codec.fromJson(type.startsWith("Edm.Geo") ? parsed(text) : text);
  return value === undefined ? undefined : valueText(value, type);
}

/** Parses the JSON text of a column. A driver may have parsed it already. */
function parsed(given: unknown): unknown {
  if (typeof given !== "string") return given;
  try {
    return JSON.parse(given);
  } catch {
    return undefined;
  }
}

function itemTexts(given: unknown, { type }: StructuralProperty): string | undefined {
  const isNumber = type === "Edm.Int64" || type === "Edm.Decimal";
  const items = parsed(isNumber && typeof given === "string" ? quoteNumbers(given) : given);
  if (!Array.isArray(items)) return undefined;
  const texts = items.map((item) =>
    item === null ? "null" : (readers[type]?.(item) ?? readText(item, type)),
  );
  return texts.includes(undefined) ? undefined : `[${texts.join()}]`;
}

/**
 * Returns the JSON text of a value that a database driver has returned for a column that `compilePage` selected with `{ json: true }`.
 * A null collection is empty.
 *
 * @throws {StoredValueError} if it is not a value of the property's type
 */
export function columnText(given: unknown, property: StructuralProperty): string {
  const { type, collection } = property;
  if (given === null || given === undefined) return collection ? "[]" : "null";
  const text = collection
    ? itemTexts(given, property)
    : (readers[type] ?? ((one) => readText(one, type)))(given);
  if (text === undefined) throw new StoredValueError(property);
  return text;
}
