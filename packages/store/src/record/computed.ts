import { codecOf, type PrimitiveType, type ValueType } from "@cadastre/odata/run";

/** A member that the query computes for each record. */
export type ComputedColumn = { readonly name: string; readonly type: ValueType };

/** Converts a computed value from the database to its value in memory; null if it is not a value of the type. */
export type ReadValue = (value: unknown, type: ValueType) => unknown;

/**
 * Returns the JSON text `,"Name":value` of each computed member.
 *
 * @param nulls true to write members without a value as null; empty collections are always written
 */
export function computedText(
  columns: readonly ComputedColumn[],
  values: readonly unknown[],
  read: ReadValue,
  nulls: boolean,
): string {
  let text = "";
  for (const [i, { name, type }] of columns.entries()) {
    const value = jsonText(read(values[i], type), type);
    if (nulls || value !== "null") text += `,${JSON.stringify(name)}:${value}`;
  }
  return text;
}

/** Returns the item type of a collection type; undefined for any other type. */
export const itemTypeOf = (type: ValueType): PrimitiveType | undefined =>
  type.startsWith("Collection(") ? (type.slice(11, -1) as PrimitiveType) : undefined;

function jsonText(value: unknown, type: ValueType): string {
  const item = itemTypeOf(type);
  if (item === undefined) return primitiveText(value, type as PrimitiveType);
  const items = (value ?? []) as readonly unknown[];
  return `[${items.map((one) => primitiveText(one, item)).join(",")}]`;
}

/** A number too large for a double is written with all its digits. */
function primitiveText(value: unknown, type: PrimitiveType): string {
  if (value === null) return "null";
  const json = codecOf(type).toJson(value);
  return typeof json === "bigint" ? String(json) : JSON.stringify(json);
}
