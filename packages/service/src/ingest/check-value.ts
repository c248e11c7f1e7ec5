import { codecOf } from "@cadastre/odata/run";
import { type Field, valueRange } from "@cadastre/reso";
import { isCanonicalPlacekey } from "../identity/placekey.ts";
import { type Decimal, parseDecimal, roundDecimal, scaleOf, toDouble, wholeDigitsOf } from "./decimal.ts";
import { ExactNumber } from "./exact-json.ts";
import type { ListedValues } from "./listed-values.ts";
import type { FaultCode } from "./record-faults.ts";
import type { Rounding } from "./rounding.ts";

/** The result of a check: a fault, or the value to store instead of the given one. */
type Deviation = { readonly fault: FaultCode } | { readonly stored: unknown; readonly isRounded: boolean };

/** Rules for values beyond the facets of their field. */
type ValueRules = { readonly rounding: Rounding; readonly isListed: ListedValues };

/** Checks a value. Undefined if it can be stored unchanged. */
type Check = (value: unknown, field: Field, rules: ValueRules) => Deviation | undefined;

/**
 * Checks a value in JSON form against its field's type, facets, range and lookup. The value must not be null.
 */
export const deviationOf: Check = (value, field, rules) => {
  if (!field.collection) return deviationOfItem(value, field, rules);
  if (!Array.isArray(value)) return faults.wrong_type;
  const given: readonly unknown[] = value;
  let items: unknown[] | undefined;
  let isRounded = false;
  for (const [i, item] of given.entries()) {
    const found = item === null ? faults.wrong_type : deviationOfItem(item, field, rules);
    if (found === undefined) continue;
    if ("fault" in found) return found;
    items ??= [...given];
    items[i] = found.stored;
    isRounded ||= found.isRounded;
  }
  return items && { stored: items, isRounded };
};

const deviationOfItem: Check = (value, field, rules) => (checks[field.type] ?? other)(value, field, rules);

const faultOf = <Code extends FaultCode>(fault: Code) => ({ fault }) as const;

const faults = {
  wrong_type: faultOf("wrong_type"),
  forbidden_character: faultOf("forbidden_character"),
  wrong_form: faultOf("wrong_form"),
  too_long: faultOf("too_long"),
  too_large: faultOf("too_large"),
  too_precise: faultOf("too_precise"),
  out_of_range: faultOf("out_of_range"),
  invalid_placekey: faultOf("invalid_placekey"),
  unknown_lookup_value: faultOf("unknown_lookup_value"),
};

const string: Check = (value, field, { isListed }) => {
  const { name, maxLength } = field;
  if (typeof value !== "string") return faults.wrong_type;
  // Not every database can store U+0000 or an unpaired surrogate.
  if (value.includes("\0") || !value.isWellFormed()) return faults.forbidden_character;
  // MaxLength counts code points. Most texts are shorter even in UTF-16 units, which are quicker to count.
  if (maxLength !== undefined && value.length > maxLength && Array.from(value).length > maxLength)
    return faults.too_long;
  if (name === "Placekey" && !isCanonicalPlacekey(value)) return faults.invalid_placekey;
  return isListed(value, field) ? undefined : faults.unknown_lookup_value;
};

/**
 * Greatest number of significant digits of a decimal. A double, and so every reader of JSON, keeps 15 digits but not always 16, so a
 * field of Precision 16 also takes only 15.
 */
const mostDigits = 15;

const tenTo: readonly number[] = Array.from({ length: 23 }, (_, power) => 10 ** power);

/** True for a double that certainly lies within the facets and the range. If false, the exact check decides. */
function isPlainDecimal(value: number, field: Field): boolean {
  const { precision = mostDigits, scale = 0 } = field;
  const power = tenTo[scale] ?? Number.NaN;
  const scaled = Math.round(value * power);
  const isExact = scaled / power === value && Math.abs(scaled) < (tenTo[mostDigits] as number);
  return isExact && Math.abs(value) < (tenTo[precision - scale] ?? 0) && isInRange(value, field);
}

function isInRange(value: number, field: Field): boolean {
  const range = valueRange(field);
  return range === undefined || (value >= range.least && value <= range.greatest);
}

/** Returns the exact number of a JSON value, or the fault if it is not a number. */
function exactOf(value: unknown): Decimal | Deviation {
  if (value instanceof ExactNumber) return parseDecimal(value.text) ?? faults.wrong_type;
  if (typeof value === "number" || typeof value === "bigint")
    return parseDecimal(String(value)) ?? faults.wrong_type;
  if (typeof value === "string" && parseDecimal(value) !== undefined) return faults.wrong_form;
  return faults.wrong_type;
}

const isDecimal = (read: Decimal | Deviation): read is Decimal => "digits" in read;

const decimal: Check = (value, field, rules) => {
  if (typeof value === "number" && isPlainDecimal(value, field)) return undefined;
  const exact = exactOf(value);
  if (!isDecimal(exact)) return exact;
  const { precision = mostDigits, scale = 0 } = field;
  // Checked before rounding, because the exponent may be huge.
  if (wholeDigitsOf(exact) > precision - scale) return faults.too_large;
  const isRounded = scaleOf(exact) > scale;
  if (isRounded && !rules.rounding.has(field.name)) return faults.too_precise;
  const kept = roundDecimal(exact, scale);
  if (wholeDigitsOf(kept) > precision - scale) return faults.too_large;
  if (kept.digits.length > mostDigits) return faults.too_precise;
  const stored = toDouble(kept);
  return isInRange(stored, field) ? { stored, isRounded } : faults.out_of_range;
};

/** More digits than any integer type has. */
const tooManyDigits = 20;

const integer: Check = (value, field, rules) => {
  const isPlain = Number.isSafeInteger(value) && field.type === "Edm.Int64";
  if (isPlain && isInRange(value as number, field)) return undefined;
  const exact = exactOf(value);
  if (!isDecimal(exact)) return exact;
  if (wholeDigitsOf(exact) > tooManyDigits) return faults.too_large;
  const isRounded = scaleOf(exact) > 0;
  if (isRounded && !rules.rounding.has(field.name)) return faults.too_precise;
  const { negative, digits, power } = roundDecimal(exact, 0);
  const codec = codecOf(field.type);
  const stored = codec.fromJson(BigInt(`${negative ? "-" : ""}${digits || "0"}`) * 10n ** BigInt(power));
  if (stored === undefined) return faults.too_large;
  return isInRange(Number(stored), field) ? { stored: codec.toJson(stored), isRounded } : faults.out_of_range;
};

const boolean: Check = (value) => {
  if (typeof value === "boolean") return undefined;
  return value === "true" || value === "false" ? faults.wrong_form : faults.wrong_type;
};

/** True for the years 1 to 9999, which every database supports. */
const hasYear = (text: string): boolean => /^(?!0000)\d{4}-/.test(text);

const date: Check = (value, { type }) => {
  if (typeof value !== "string" || codecOf(type).parse(value) === undefined) return faults.wrong_type;
  return hasYear(value) ? undefined : faults.out_of_range;
};

const canonicalInstant = /^(?!0000)\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** Timestamps are stored in UTC with three fractional digits. More digits are cut: rounding up could give a time in the future. */
const instant: Check = (value, { name, type }, rules) => {
  const codec = codecOf(type);
  const parsed = typeof value === "string" ? codec.parse(value) : undefined;
  if (parsed === undefined) return faults.wrong_type;
  if (canonicalInstant.test(value as string)) return undefined;
  const text = codec.toJson(parsed) as string;
  if (!hasYear(text)) return faults.out_of_range;
  const stored = text.replace(/(\.\d{3})\d*Z$/, "$1Z");
  const isRounded = stored !== text;
  return isRounded && !rules.rounding.has(name) ? faults.too_precise : { stored, isRounded };
};

/** Checks values of other types. */
const other: Check = (value, { type }) =>
  codecOf(type).fromJson(value) === undefined ? faults.wrong_type : undefined;

const checks: Partial<Record<Field["type"], Check>> = {
  "Edm.String": string,
  "Edm.Boolean": boolean,
  "Edm.Byte": integer,
  "Edm.SByte": integer,
  "Edm.Int16": integer,
  "Edm.Int32": integer,
  "Edm.Int64": integer,
  "Edm.Decimal": decimal,
  "Edm.Date": date,
  "Edm.DateTimeOffset": instant,
};
