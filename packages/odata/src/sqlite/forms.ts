import Big from "big.js";
import { itemType } from "../bound/typing.ts";
import { fromSortable } from "../model/sortable.ts";
import { parseInstant } from "../model/temporal.ts";
import type { PrimitiveType, StructuralProperty, ValueType } from "../model/types.ts";
import { codecOf } from "../model/values.ts";
import { encodings } from "../sql/encoding.ts";
import { jsonItem, sqlite } from "../sql/sqlite.ts";

/** Item type of a collection, which is always primitive in a value type; undefined for other types. */
const itemOf = (type: ValueType) => itemType(type) as PrimitiveType | undefined;

/** Readers of the computed forms that differ from the JSON form of a value. */
const readers: Partial<Record<string, (value: unknown) => unknown>> = {
  bit: (value) => (typeof value === "bigint" ? value === 1n : undefined),
  sortableText: (value) => (typeof value === "string" ? fromSortable(value) : undefined),
  instantText: (value) => (typeof value === "string" ? parseInstant(value) : undefined),
};

/** Converts an SQL value in its computed form to memory form; returns null if it is not a value of the type. */
export function fromSqlite(value: unknown, type: ValueType): unknown {
  if (value === null) return null;
  const item = itemOf(type);
  if (item !== undefined) {
    const items = parsed(isInteger(item) ? quotedIntegers(value) : value);
    return Array.isArray(items) ? items.map((json) => codecOf(item).fromJson(json) ?? null) : null;
  }
  const form = sqlite.computedEncodings[type as PrimitiveType];
  const json = form === "jsonText" ? parsed(value) : value;
  const read = readers[form] ?? ((one: unknown) => codecOf(type as PrimitiveType).fromJson(one));
  const inMemory = read(json) ?? null;
  // Durations are stored in sortable text, like decimals, as a number of picoseconds.
  return type === "Edm.Duration" && inMemory instanceof Big ? BigInt(inMemory.toFixed()) : inMemory;
}

const isInteger = (type: PrimitiveType): boolean => type === "Edm.Int64" || type === "Edm.Decimal";

/** Quotes the long integers in a JSON array of numbers: as JSON numbers they would lose digits. */
const quotedIntegers = (json: unknown): unknown =>
  typeof json === "string" ? json.replaceAll(/(?<=[[,]\s*)-?\d{16,}(?=\s*[,\]])/g, '"$&"') : json;

/** Parses JSON; returns null for invalid JSON. */
function parsed(value: unknown): unknown {
  try {
    return typeof value === "string" ? JSON.parse(value) : null;
  } catch {
    return null;
  }
}

/** Inverse of {@link fromSqlite}. */
export function toSqlite(value: unknown, type: ValueType): unknown {
  if (value === null) return null;
  const item = itemOf(type);
  if (item !== undefined) {
    const items = (value as readonly unknown[]).map((one) => jsonItem(one, item));
    return JSON.stringify(items);
  }
  const property: StructuralProperty = {
    name: "",
    type: type as PrimitiveType,
    collection: false,
    nullable: true,
  };
  const { value: encoded } = encodings[sqlite.computedEncodings[type as PrimitiveType]](value, property);
  return Number.isNaN(encoded) ? null : encoded;
}
