import { codecOf, type PrimitiveType, type ValueType } from "@cadastre/odata/run";

/** A member that the query computes. */
export type ComputedColumn = { readonly name: string; readonly type: ValueType };

/** The value in memory of what a database gave for a computed value; null where it is none of the type. */
export type ReadValue = (value: unknown, type: ValueType) => unknown;

/**
 * `,"Name":value` of each computed member.
 *
 * @param nulls whether members without a value are written out; an empty collection always is
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

/** The type of the items of a collection. */
export const itemTypeOf = (type: ValueType): PrimitiveType | undefined =>
  type.startsWith("Collection(") ? (type.slice(11, -1) as PrimitiveType) : undefined;

function jsonText(value: unknown, type: ValueType): string {
  const item = itemTypeOf(type);
  if (item === undefined) return primitiveText(value, type as PrimitiveType);
  const items = (value ?? []) as readonly unknown[];
  return `[${items.map((one) => primitiveText(one, item)).join(",")}]`;
}

/** A number too large for a double keeps its digits. */
function primitiveText(value: unknown, type: PrimitiveType): string {
  if (value === null) return "null";
  const json = codecOf(type).toJson(value);
  return typeof json === "bigint" ? String(json) : JSON.stringify(json);
}
