import { datasetProperty } from "@cadastre/entitlement";
import {
  type Column,
  identifier,
  pointIndex,
  postgres,
  type SqlFragment,
  type StructuralProperty,
  sql,
  trigramIndex,
} from "@cadastre/odata";
import { compileValue, type EncodingName, type PointIndex, type TextIndex } from "@cadastre/odata/compile";
import { value } from "@cadastre/odata/run";
import type { ReadForms } from "../../read/forms.ts";
import type { SchemaDialect } from "../../schema/object.ts";
import {
  type PointSchema,
  recordColumns,
  type TableSchema,
  type TextSchema,
  validity,
} from "../../schema/table.ts";

/**
 * Returns the encoding of a property's column: PostgreSQL's own types, except for a time of day, which is stored in picoseconds.
 */
export const columnEncoding = ({ type }: StructuralProperty): EncodingName =>
  type === "Edm.TimeOfDay" ? "picoseconds" : postgres.columnEncodings[type];

/** Declared type of a column by encoding. Decimals have no precision limit, like those in the record's text. */
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
  return type === "Edm.Guid" ? sql`uuid` : (types[columnEncoding(property)] ?? sql`text`);
}

/** Column of a record's dataset id. */
export const postgresDatasetId: SqlFragment = identifier(datasetProperty.name);

/** Condition that a row is of a dataset. */
export const isOfPostgresDataset = (datasetId: string): SqlFragment =>
  sql`${postgresDatasetId} = ${value(datasetId)}`;

/**
 * Names of the primary key's columns. It has the dataset, because the key of a partitioned table must. The record's own key comes first,
 * so that it is found without the dataset too.
 */
export const primaryKey: SchemaDialect["primaryKey"] = ({ key, shared }) => [
  ...key.map(({ name }) => name),
  ...(shared ? [] : [datasetProperty.name]),
];

/** See `BuildDatabase.sha256`. */
export const postgresSha256 = (text: SqlFragment): SqlFragment =>
  sql`encode(sha256(convert_to(${text}, 'UTF8')), 'hex')`;

const inColumn = ({ name }: StructuralProperty): SqlFragment => identifier(name);

/** Returns where each property of a table is stored: in its own column or in the record's text. */
export function postgresColumns(table: TableSchema): (property: StructuralProperty) => Column {
  const typed = new Set([...table.columns.map(({ name }) => name), validity.from.name, validity.to.name]);
  return (property) => ({
    sql: typed.has(property.name) ? inColumn(property) : inRecord(property),
    encoding: columnEncoding(property),
  });
}

/** Returns the expression that the spatial index of a location column contains. */
export const pointExpression = (property: StructuralProperty): SqlFragment =>
  postgres.call("geo_point", [property.type], [inColumn(property)]);

export const pointIndexOf = (_table: TableSchema, { column }: PointSchema): PointIndex =>
  pointIndex(pointExpression(column));

export const textIndexOf = (_table: TableSchema, { column }: TextSchema): TextIndex =>
  trigramIndex(inColumn(column), { property: datasetProperty, column: postgresDatasetId });

const record = identifier(recordColumns.text);

type Read = (text: SqlFragment) => SqlFragment;

/** Functions for types that a plain cast does not read as OData defines them. */
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

/** A computed value is selected as the text of its OData literal; a collection or shape as JSON. */
const computed: ReadForms["computed"] = (query, projection, of) => {
  const { type, collection } = projection.property;
  const selected = compileValue(query, projection, postgres, of);
  return collection || type.startsWith("Edm.Geo") ? selected : postgres.cast(type, "Edm.String", selected);
};

export const postgresForms: ReadForms = {
  dialect: postgres,
  text: record,
  emptyText: sql`'{}'`,
  cellCounts: (rows) => `select cell0, cell1, count(*) from (${rows}) as located group by cell0, cell1`,
  isAmong: (text, array) =>
    sql`${text} = any (array(select jsonb_array_elements_text(cast(${array} as jsonb))))`,
  computed,
};
