import type { PrimitiveType } from "../model/types.ts";
import type { Dialect, SqlValue } from "./dialect.ts";
import type { EncodingName } from "./encoding.ts";
import { join, type SqlFragment, sql, value } from "./fragment.ts";
import { shapeForms } from "./shape-forms.ts";

/** Default encodings of columns: PostgreSQL's native types. */
export const columns = {
  "Edm.String": "text",
  "Edm.Boolean": "plain",
  "Edm.Byte": "scaled",
  "Edm.SByte": "scaled",
  "Edm.Int16": "scaled",
  "Edm.Int32": "scaled",
  "Edm.Int64": "scaled",
  "Edm.Decimal": "numeric",
  "Edm.Single": "double",
  "Edm.Double": "double",
  "Edm.Date": "date",
  "Edm.DateTimeOffset": "timestamptz",
  "Edm.TimeOfDay": "time",
  "Edm.Duration": "picoseconds",
  "Edm.Guid": "plain",
  "Edm.Binary": "text",
  ...shapeForms,
} as const satisfies Dialect["columnEncodings"];

/**
 * Encodings of computed values. Instants and times of day are in picoseconds: columns have microseconds, but
 * computed values can be finer.
 */
export const computed: Dialect["computedEncodings"] = {
  ...columns,
  "Edm.String": "plain",
  "Edm.Binary": "plain",
  "Edm.DateTimeOffset": "picoseconds",
  "Edm.TimeOfDay": "picoseconds",
};

/** PostgreSQL type of each encoding. The type of a plain value depends on its Edm type. */
const typeOfForm: Partial<Record<EncodingName, SqlFragment>> = {
  text: sql`text`,
  scaled: sql`bigint`,
  numeric: sql`numeric`,
  double: sql`float8`,
  date: sql`date`,
  timestamptz: sql`timestamptz`,
  time: sql`time`,
  picoseconds: sql`numeric`,
  timestampText: sql`text`,
  secondsText: sql`text`,
  seconds: sql`bigint`,
  milliseconds: sql`bigint`,
  jsonText: sql`jsonb`,
};

const typeOfPlain: Partial<Record<PrimitiveType, SqlFragment>> = {
  "Edm.Boolean": sql`boolean`,
  "Edm.Guid": sql`uuid`,
};

const typeOf = (type: PrimitiveType, form: EncodingName): SqlFragment =>
  typeOfForm[form] ?? typeOfPlain[type] ?? sql`text`;

/** Returns the value with an explicit cast, so that the server never guesses its type. */
export const operand: Dialect["operand"] = (encoded, type, form) =>
  sql`${value(encoded)}::${typeOf(type, form)}`;

export const givenRows: Dialect["valuesTable"] = (arrays, given, place, alias) => {
  const items = given.map(
    ({ name, type, form }, i) => sql`(item ->> ${value(i)}::int)::${typeOf(type, form)} as ${name}`,
  );
  const rows = sql`jsonb_array_elements(${value(arrays)}::jsonb) with ordinality as given(item, place)`;
  return sql`(select ${join([sql`place - 1 as ${place}`, ...items], ", ")} from ${rows}) as ${alias}`;
};

export const compileTypedNull: Dialect["typedNull"] = (type) =>
  type.startsWith("Collection(")
    ? sql`null::jsonb`
    : sql`null::${typeOf(type as PrimitiveType, computed[type as PrimitiveType])}`;

export const compileToComputed: Dialect["toComputed"] = (column, form, scale) => {
  switch (form) {
    case "text":
      return sql`${column} collate "C"`;
    case "timestamptz":
    case "time":
      return sql`cadastre_picoseconds(${column})`;
    case "timestampText":
    case "secondsText":
      return sql`cadastre_picoseconds(${column}::timestamptz)`;
    case "seconds":
      return sql`(${column}::numeric * 1000000000000)`;
    case "milliseconds":
      return sql`(${column}::numeric * 1000000000)`;
    case "double":
      return sql`cadastre_number(${column})`;
    case "scaled":
      return scale === null || scale === 0 ? sql`${column}::numeric` : decimalOf(column, scale);
    default:
      return column;
  }
};

/** Multiplies instead of dividing, because a product of decimals is exact. */
const decimalOf = (integer: SqlFragment, scale: number): SqlFragment =>
  sql`(${integer} * ${value(`1e-${scale}`)}::numeric)`;

/**
 * Aligns operands of different forms. Numbers are compared as decimals: the server would compare a decimal with a
 * double as doubles.
 */
export function align({ sql: given, form, scale }: SqlValue, other: SqlValue): SqlFragment {
  if (form === "text" || form === "plain") return ordered(given, form);
  if (form === "scaled" && scale === 0 && other.form === "numeric") return given;
  return form === "numeric" || form === "picoseconds" ? given : compileToComputed(given, form, scale);
}

/** Encodings in text columns, whose collation may be any. */
const texts: ReadonlySet<EncodingName> = new Set(["text", "timestampText", "secondsText"]);

/** Orders text by code point. */
export const ordered: Dialect["ordered"] = (given, form) =>
  texts.has(form) ? sql`${given} collate "C"` : given;
