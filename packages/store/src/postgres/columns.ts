import {
  type Column,
  compileValue,
  type EncodingName,
  identifier,
  type PointIndex,
  pointIndex,
  postgres,
  type SqlFragment,
  type StructuralProperty,
  sql,
  value,
} from "@cadastre/odata";
import type { ReadForms } from "../read/forms.ts";
import { type PointSchema, recordColumns, type TableSchema, validity } from "../schema/table.ts";

/** PostgreSQL's own types, but a time of day keeps its picoseconds. */
export const formOf = ({ type }: StructuralProperty): EncodingName =>
  type === "Edm.TimeOfDay" ? "picoseconds" : postgres.encodings[type];

/** Declared type of a column by the form of its values. A decimal of any size fits, as it does in the record. */
const types: Partial<Record<EncodingName, SqlFragment>> = {
  text: sql`text`,
  scaled: sql`bigint`,
  numeric: sql`numeric`,
  double: sql`float8`,
  date: sql`date`,
  timestamptz: sql`timestamptz`,
  picoseconds: sql`numeric`,
  jsonText: sql`jsonb`,
};

export function typeOf(property: StructuralProperty): SqlFragment {
  const { type, collection } = property;
  if (collection) return sql`jsonb`;
  if (type === "Edm.Boolean") return sql`boolean`;
  return type === "Edm.Guid" ? sql`uuid` : (types[formOf(property)] ?? sql`text`);
}

const inColumn = ({ name }: StructuralProperty): SqlFragment => identifier(name);

/** Where each property of a table lies: in a column of its own, or in the record's text. */
export function columnsOf(table: TableSchema): (property: StructuralProperty) => Column {
  const typed = new Set([...table.columns.map(({ name }) => name), validity.from.name, validity.to.name]);
  return (property) => ({
    sql: typed.has(property.name) ? inColumn(property) : inRecord(property),
    encoding: formOf(property),
  });
}

/** What the index of a column of points holds. */
export const placeOf = (property: StructuralProperty): SqlFragment =>
  postgres.call("geo_point", [property.type], [inColumn(property)]);

export const pointsOf = (_table: TableSchema, { column }: PointSchema): PointIndex =>
  pointIndex(placeOf(column));

const record = identifier(recordColumns.text);

type Read = (text: SqlFragment) => SqlFragment;

/** What a plain cast does not read in the sense of OData, for any value that a record may hold. */
const readers: Partial<Record<StructuralProperty["type"], Read>> = {
  "Edm.Single": (text) => sql`cadastre_single(cadastre_read_double(${text}))`,
  "Edm.Double": (text) => sql`cadastre_read_double(${text})`,
  "Edm.TimeOfDay": (text) => sql`cadastre_read_time(${text})`,
  "Edm.Duration": (text) => sql`cadastre_read_duration(${text})`,
  "Edm.String": (text) => text,
  "Edm.Binary": (text) => text,
};

function inRecord(property: StructuralProperty): SqlFragment {
  const { name, type, collection } = property;
  if (collection || type.startsWith("Edm.Geo")) return sql`(${record} -> ${value(name)}::text)::jsonb`;
  const text = sql`(${record} ->> ${value(name)}::text)`;
  return readers[type]?.(text) ?? sql`${text}::${typeOf(property)}`;
}

/** A computed value is selected as the text of its literal; a collection and a shape as their JSON. */
const computed: ReadForms["computed"] = (query, projection, of) => {
  const { type, collection } = projection.property;
  const selected = compileValue(query, projection, postgres, of);
  return collection || type.startsWith("Edm.Geo") ? selected : postgres.cast(type, "Edm.String", selected);
};

export const forms: ReadForms = { dialect: postgres, text: record, computed };
