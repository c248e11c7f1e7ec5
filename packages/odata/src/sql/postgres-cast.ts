import type { PrimitiveType } from "../model/types.ts";
import type { Dialect } from "./dialect.ts";
import { type SqlFragment, sql } from "./fragment.ts";

/** Ranges of the integer types, from narrow to wide. */
const integerRanges: Partial<Record<PrimitiveType, SqlFragment>> = {
  "Edm.SByte": sql`-128, 127`,
  "Edm.Byte": sql`0, 255`,
  "Edm.Int16": sql`-32768, 32767`,
  "Edm.Int32": sql`-2147483648, 2147483647`,
  "Edm.Int64": sql`-9223372036854775808, 9223372036854775807`,
};

const isFloat = (type: PrimitiveType): boolean => type === "Edm.Double" || type === "Edm.Single";

/** Converts a number of this type to a decimal; null if it is not finite. */
function decimalOf(type: PrimitiveType, operand: SqlFragment): SqlFragment {
  if (isFloat(type)) return sql`cadastre_decimal(${operand})`;
  return type === "Edm.Decimal" ? operand : sql`${operand}::numeric`;
}

const readers: Partial<Record<PrimitiveType, (text: SqlFragment) => SqlFragment>> = {
  "Edm.Boolean": (text) => sql`cadastre_read_boolean(${text})`,
  "Edm.Decimal": (text) => sql`cadastre_read_decimal(${text})`,
  "Edm.Single": (text) => sql`cadastre_single(cadastre_read_double(${text}))`,
  "Edm.Double": (text) => sql`cadastre_read_double(${text})`,
  "Edm.Date": (text) => sql`cadastre_read_date(${text})`,
  "Edm.DateTimeOffset": (text) => sql`cadastre_read_instant(${text})`,
  "Edm.TimeOfDay": (text) => sql`cadastre_read_time(${text})`,
  "Edm.Duration": (text) => sql`cadastre_read_duration(${text})`,
  "Edm.Guid": (text) => sql`cadastre_read_guid(${text})`,
  "Edm.Binary": (text) => sql`cadastre_read_binary(${text})`,
};

function fromText(to: PrimitiveType, text: SqlFragment): SqlFragment {
  const range = integerRanges[to];
  if (range !== undefined) return sql`cadastre_integer(cadastre_read_integer(${text}), ${range})`;
  return readers[to]?.(text) ?? sql`null::jsonb`;
}

const printers: Partial<Record<PrimitiveType, (operand: SqlFragment) => SqlFragment>> = {
  "Edm.Decimal": (operand) => sql`trim_scale(${operand})::text`,
  "Edm.Single": (operand) => sql`cadastre_text(${operand})`,
  "Edm.Double": (operand) => sql`cadastre_text(${operand})`,
  "Edm.Date": (operand) => sql`cadastre_text(${operand})`,
  "Edm.DateTimeOffset": (operand) => sql`cadastre_text_of_instant(${operand})`,
  "Edm.TimeOfDay": (operand) => sql`cadastre_text_of_time(${operand}, 0)`,
  "Edm.Duration": (operand) => sql`cadastre_text_of_duration(${operand})`,
  "Edm.Binary": (operand) => operand,
};

export const compileCast: Dialect["cast"] = (from, to, operand) => {
  if (from === to) return operand;
  if (to === "Edm.String") return printers[from]?.(operand) ?? sql`${operand}::text`;
  if (from === "Edm.String") return fromText(to, operand);
  if (from === "Edm.DateTimeOffset") {
    return to === "Edm.Date" ? sql`cadastre_date(${operand})` : sql`cadastre_time(${operand})`;
  }
  const range = integerRanges[to];
  if (range !== undefined) return sql`cadastre_integer(${decimalOf(from, operand)}, ${range})`;
  if (to === "Edm.Decimal") return decimalOf(from, operand);
  const double = isFloat(from)
    ? operand
    : from === "Edm.Decimal"
      ? sql`cadastre_double(${operand})`
      : sql`${operand}::float8`;
  return to === "Edm.Single" ? sql`cadastre_single(${double})` : double;
};

/**
 * Compiles `isof`. The operand occurs only once in the text, because a query can nest calls of `isof`, or apply it
 * to a long sum.
 */
export const compileIsOf: Dialect["isOf"] = (type, of, operand) => {
  const given = sql`"a number".given`;
  const same = sql`cadastre_same(${decimalOf(type, given)}, ${decimalOf(of, compileCast(type, of, given))})`;
  return sql`(select ${same} from (values (${operand})) as "a number"(given))`;
};

const items: Partial<Record<PrimitiveType, (item: SqlFragment) => SqlFragment>> = {
  "Edm.String": (item) => sql`cadastre_item_text(${item})`,
  "Edm.Boolean": (item) => sql`cadastre_item_boolean(${item})`,
  "Edm.Decimal": (item) => sql`cadastre_item_decimal(${item})`,
  "Edm.Single": (item) => sql`cadastre_single(cadastre_item_double(${item}))`,
  "Edm.Double": (item) => sql`cadastre_item_double(${item})`,
};

/** Reads an item of a JSON array in its computed form; null if it is not a value of the type. */
export function itemOf(item: SqlFragment, type: PrimitiveType): SqlFragment {
  const range = integerRanges[type];
  if (range !== undefined) return sql`cadastre_item_integer(${item}, ${range})`;
  if (type.startsWith("Edm.Geo")) return item;
  return items[type]?.(item) ?? fromText(type, sql`cadastre_item_text(${item})`);
}
