import type { PrimitiveType } from "../model/types.ts";
import type { Dialect, SqlValue } from "./dialect.ts";
import type { EncodingName } from "./encoding.ts";
import { join, type SqlFragment, sql, value } from "./fragment.ts";
import { shapeForms } from "./shape-forms.ts";

/** Forms of columns: PostgreSQL's own types. */
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
} as const satisfies Dialect["encodings"];

/** Computed instants and times of day are picoseconds: a column has microseconds, what is computed more. */
export const computed: Dialect["computed"] = {
  ...columns,
  "Edm.String": "plain",
  "Edm.Binary": "plain",
  "Edm.DateTimeOffset": "picoseconds",
  "Edm.TimeOfDay": "picoseconds",
};

/** The server's type of a form; that of a plain value is its own. */
const typeOfForm: Partial<Record<EncodingName, SqlFragment>> = {
  text: sql`text`,
  scaled: sql`bigint`,
  numeric: sql`numeric`,
  double: sql`float8`,
  date: sql`date`,
  timestamptz: sql`timestamptz`,
  time: sql`time`,
  picoseconds: sql`numeric`,
  jsonText: sql`jsonb`,
};

const typeOfPlain: Partial<Record<PrimitiveType, SqlFragment>> = {
  "Edm.Boolean": sql`boolean`,
  "Edm.Guid": sql`uuid`,
};

const typeOf = (type: PrimitiveType, form: EncodingName): SqlFragment =>
  typeOfForm[form] ?? typeOfPlain[type] ?? sql`text`;

/** Every value has its type, so that the server never guesses. */
export const operand: Dialect["operand"] = (encoded, type, form) =>
  sql`${value(encoded)}::${typeOf(type, form)}`;

export const givenRows: Dialect["given"] = (arrays, given, place, alias) => {
  const items = given.map(
    ({ name, type, form }, i) => sql`(item ->> ${value(i)}::int)::${typeOf(type, form)} as ${name}`,
  );
  const rows = sql`jsonb_array_elements(${value(arrays)}::jsonb) with ordinality as given(item, place)`;
  return sql`(select ${join([sql`place - 1 as ${place}`, ...items], ", ")} from ${rows}) as ${alias}`;
};

export const nothing: Dialect["nothing"] = (type) =>
  type.startsWith("Collection(")
    ? sql`null::jsonb`
    : sql`null::${typeOf(type as PrimitiveType, computed[type as PrimitiveType])}`;

export const toComputed: Dialect["toComputed"] = (column, form, scale) => {
  switch (form) {
    case "text":
      return sql`${column} collate "C"`;
    case "timestamptz":
    case "time":
      return sql`cadastre_picoseconds(${column})`;
    case "double":
      return sql`cadastre_number(${column})`;
    case "scaled":
      return scale === null || scale === 0 ? sql`${column}::numeric` : decimalOf(column, scale);
    default:
      return column;
  }
};

/** A product of decimals is exact. */
const decimalOf = (integer: SqlFragment, scale: number): SqlFragment =>
  sql`(${integer} * ${value(`1e-${scale}`)}::numeric)`;

/** Numbers compare as decimals: the server would compare a decimal with a double as doubles. */
export function align({ sql: given, form, scale }: SqlValue, other: SqlValue): SqlFragment {
  if (form === "text" || form === "plain") return ordered(given, form);
  if (form === "scaled" && scale === 0 && other.form === "numeric") return given;
  return form === "numeric" || form === "picoseconds" ? given : toComputed(given, form, scale);
}

/** Text is ordered by code point. */
export const ordered: Dialect["ordered"] = (given, form) =>
  form === "text" ? sql`${given} collate "C"` : given;
