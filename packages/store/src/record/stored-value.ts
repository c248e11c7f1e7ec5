import type { PrimitiveType, StructuralProperty } from "@cadastre/odata";
import { codecOf } from "@cadastre/odata/run";
import { StoreError } from "../errors.ts";

type Instant = { readonly picoseconds: bigint; readonly offset: number };

/**
 * Days from 1970-01-01 to 0001-01-01 and 9999-12-31. All supported databases store dates in this range and print the year with
 * four digits.
 */
const [firstDay, lastDay] = [-719_162, 2_932_896];

const day = 86_400_000_000_000_000n;
const millisecond = 1_000_000_000n;

/** True if the text needs no escaping in JSON. Most texts do not, and this test is faster than serializing. */
export const needsNoEscape = (text: string): boolean => plain.test(text);
// In code units: a text with a surrogate pair is serialized.
const plain = /^[ !#-[\]-~\u00a0-\ud7ff\ue000-\uffff]*$/;

/** True if every database can store the text: no U+0000, no unpaired surrogate. */
const isText = (text: string): boolean => !text.includes("\0") && text.isWellFormed();

const isTextThroughout = (json: unknown): boolean => {
  if (typeof json === "string") return isText(json);
  if (typeof json !== "object" || json === null) return true;
  return Object.entries(json).every(([name, value]) => isText(name) && isTextThroughout(value));
};

/** Returns the value as it is stored; undefined if a database cannot store it. */
type Keep = (value: unknown) => unknown;

const textOrNothing: Keep = (value) => (isText(value as string) ? value : undefined);
const numberOrNothing: Keep = (value) => (Number.isNaN(value) ? undefined : value);

const rules: Partial<Record<PrimitiveType, Keep>> = {
  "Edm.String": textOrNothing,
  // NaN has no position in a sort order.
  "Edm.Single": numberOrNothing,
  "Edm.Double": numberOrNothing,
  "Edm.Date": (value) => ((value as number) >= firstDay && (value as number) <= lastDay ? value : undefined),
  // Truncated to milliseconds, in UTC.
  "Edm.DateTimeOffset": (value) => {
    const { picoseconds } = value as Instant;
    if (picoseconds < BigInt(firstDay) * day || picoseconds >= BigInt(lastDay + 1) * day) return undefined;
    const rest = ((picoseconds % millisecond) + millisecond) % millisecond;
    return rest === 0n ? value : { picoseconds: picoseconds - rest, offset: 0 };
  },
};

const geographyOrNothing: Keep = (value) => (isTextThroughout(value) ? value : undefined);

/** Converts a value from JSON form to the value that every database stores; undefined if it is not valid for the type. */
export function storedValue(json: unknown, type: PrimitiveType): unknown {
  const value = codecOf(type).fromJson(json);
  if (value === undefined) return undefined;
  const rule = type.startsWith("Edm.Geo") ? geographyOrNothing : rules[type];
  return rule === undefined ? value : rule(value);
}

/** Types with several texts for one value: a record stores the canonical text, which sorts correctly. */
const rewritten: ReadonlySet<PrimitiveType> = new Set([
  "Edm.DateTimeOffset",
  "Edm.TimeOfDay",
  "Edm.Guid",
  "Edm.Binary",
]);

const instantPattern =
  /^(?!0000)\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/;

/** True if the value is already in the canonical form of an instant: `2024-01-15T08:30:00.123Z`, in the year 1 or later. */
export const isWrittenInstant = (json: unknown): json is string =>
  typeof json === "string" && instantPattern.test(json) && (json.slice(8, 10) <= "28" || isLateDay(json));

/** True if the month has the day, of an instant that is right in its other parts. */
const isLateDay = (text: string): boolean =>
  !Number.isNaN(Date.parse(text)) && new Date(text).toISOString() === text;

/** True if a number of type `Edm.Int64` or `Edm.Decimal` is written as JavaScript writes it. */
export const isWrittenNumber = (json: unknown, type: PrimitiveType): json is number =>
  type === "Edm.Int64" ? Number.isSafeInteger(json) : type === "Edm.Decimal" && Number.isFinite(json);

function quoted(text: string): string | undefined {
  if (needsNoEscape(text)) return `"${text}"`;
  return isText(text) ? JSON.stringify(text) : undefined;
}

/** Returns the JSON text of a value in JSON form; undefined if it is not valid for the type. */
function primitiveText(json: unknown, type: PrimitiveType): string | undefined {
  if (type === "Edm.String") return typeof json === "string" ? quoted(json) : undefined;
  if (type === "Edm.DateTimeOffset" && isWrittenInstant(json)) return `"${json}"`;
  if (isWrittenNumber(json, type)) return String(json);
  const value = storedValue(json, type);
  if (value === undefined) return undefined;
  // Writes the bigint, because the text of a double beyond 2^53 may have other digits.
  if (typeof value === "bigint" && typeof json !== "string") return String(value);
  if (!rewritten.has(type)) return JSON.stringify(json);
  return JSON.stringify(codecOf(type).toJson(value));
}

/**
 * Returns the JSON text of a property's value in JSON form. The value must not be null.
 *
 * @throws {StoreError} `invalid_record`
 */
export function storedText(json: unknown, property: StructuralProperty): string {
  const { type, collection } = property;
  const text = collection ? collectionText(json, type) : primitiveText(json, type);
  if (text === undefined) throw invalid(property);
  return text;
}

const invalid = ({ name, type, collection }: StructuralProperty): StoreError =>
  new StoreError("invalid_record", `${name} is not a valid ${collection ? `Collection(${type})` : type}`);

/**
 * Does the checks of {@link storedText} without writing the text.
 *
 * @throws {StoreError} as {@link storedText}
 */
export function requireStorable(json: unknown, property: StructuralProperty): void {
  const { type, collection } = property;
  const isStorable = collection
    ? Array.isArray(json) && json.every((one) => one === null || isStorableItem(one, type))
    : isStorableItem(json, type);
  if (!isStorable) throw invalid(property);
}

/** True if {@link primitiveText} has a text for the value. */
function isStorableItem(json: unknown, type: PrimitiveType): boolean {
  if (type === "Edm.String") return typeof json === "string" && isText(json);
  return isWrittenNumber(json, type) || primitiveText(json, type) !== undefined;
}

function collectionText(json: unknown, item: PrimitiveType): string | undefined {
  if (!Array.isArray(json)) return undefined;
  let texts = "";
  for (const one of json) {
    const text = one === null ? "null" : primitiveText(one, item);
    if (text === undefined) return undefined;
    texts += texts === "" ? text : `,${text}`;
  }
  return `[${texts}]`;
}
