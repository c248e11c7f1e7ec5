import type pg from "pg";
import { encodings } from "../../src/compile/index.ts";
import { identifier, postgres, type Row, type StructuralProperty } from "../../src/index.ts";
import { codecOf, render } from "../../src/run/index.ts";
import { collectionText } from "./collection-text.ts";

const columnTypes: Partial<Record<StructuralProperty["type"], string>> = {
  "Edm.Boolean": "boolean",
  "Edm.Byte": "smallint",
  "Edm.SByte": "smallint",
  "Edm.Int16": "smallint",
  "Edm.Int32": "integer",
  "Edm.Int64": "bigint",
  "Edm.Decimal": "numeric",
  "Edm.Single": "real",
  "Edm.Double": "float8",
  "Edm.Date": "date",
  "Edm.DateTimeOffset": "timestamptz",
  "Edm.TimeOfDay": "time",
  "Edm.Duration": "numeric",
  "Edm.Guid": "uuid",
};

const columnType = ({ type, collection, precision, scale }: StructuralProperty): string => {
  if (collection || type.startsWith("Edm.Geo")) return "jsonb";
  return scale === undefined ? (columnTypes[type] ?? "text") : `numeric(${precision}, ${scale})`;
};

function columnValue(property: StructuralProperty, json: unknown): unknown {
  if (property.collection) return collectionText(property, json);
  if (json === undefined || json === null) return null;
  const { type } = property;
  return encodings[postgres.columnEncodings[type]](codecOf(type).fromJson(json), property).value;
}

const quoted = (name: string): string => render(identifier(name), String).text;

/** Rows per statement: PostgreSQL allows 65,535 parameters. */
const batch = 500;

/** Creates a table with one column per property, and fills it. */
export async function createPostgresTable(
  pool: pg.Pool,
  name: string,
  properties: readonly StructuralProperty[],
  rows: readonly Row[],
): Promise<void> {
  const columns = properties.map((property) => `${quoted(property.name)} ${columnType(property)}`);
  await pool.query(`create table ${quoted(name)} (${columns.join(", ")})`);
  for (let start = 0; start < rows.length; start += batch) {
    const values = rows
      .slice(start, start + batch)
      .flatMap((row) => properties.map((property) => columnValue(property, row[property.name])));
    const places = Array.from(
      { length: values.length / properties.length },
      (_, row) => `(${properties.map((_, i) => `$${row * properties.length + i + 1}`).join()})`,
    );
    await pool.query(`insert into ${quoted(name)} values ${places.join()}`, values);
  }
}
