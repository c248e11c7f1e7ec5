import type { PrimitiveType, ValueType } from "../model/types.ts";
import { codecOf } from "../model/values.ts";

const itemOf = (type: ValueType): PrimitiveType | undefined =>
  type.startsWith("Collection(") ? (type.slice("Collection(".length, -1) as PrimitiveType) : undefined;

/**
 * A value of an SQL expression, in memory form: null where it is none of the type. Integers come as bigint,
 * collections as JSON text, what has a JSON text form in that form.
 */
export function fromSqlite(value: unknown, type: ValueType): unknown {
  if (value === null) return null;
  const item = itemOf(type);
  if (item !== undefined) {
    const items = parsed(value);
    return Array.isArray(items) ? items.map((json) => codecOf(item).fromJson(json) ?? null) : [];
  }
  if (type === "Edm.Boolean") return value === 1n;
  if (type.startsWith("Edm.Geo")) return codecOf(type as PrimitiveType).fromJson(parsed(value)) ?? null;
  return codecOf(type as PrimitiveType).fromJson(value) ?? null;
}

const parsed = (value: unknown): unknown => (typeof value === "string" ? JSON.parse(value) : null);

/** The inverse of {@link fromSqlite}. A decimal is its text, so that no digit is lost. */
export function toSqlite(value: unknown, type: ValueType): unknown {
  const item = itemOf(type);
  if (item !== undefined) {
    const items = (value as readonly unknown[]).map((one) =>
      one === null ? null : codecOf(item).toJson(one),
    );
    return JSON.stringify(items);
  }
  if (typeof value === "boolean") return value ? 1n : 0n;
  if (typeof value === "bigint" && type.startsWith("Edm.Int")) return value;
  if (type === "Edm.Decimal") return String(value);
  const json = codecOf(type as PrimitiveType).toJson(value);
  return typeof json === "object" ? JSON.stringify(json) : json;
}
