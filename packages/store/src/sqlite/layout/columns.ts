import { datasetProperty } from "@cadastre/entitlement";
import { type Column, identifier, type StructuralProperty, sql, sqlite } from "@cadastre/odata";
import { compileValue, type EncodingName } from "@cadastre/odata/compile";
import { value } from "@cadastre/odata/run";
import type { ReadForms } from "../../read/forms.ts";
import { recordColumns, type TableSchema, validity } from "../../schema/table.ts";
import { datasetType } from "./datasets.ts";

/**
 * Returns the encoding of a property's column. A decimal with a scale is stored as an integer, so that comparisons are exact.
 */
export const storedEncoding = ({ type, scale }: StructuralProperty): EncodingName =>
  type === "Edm.Decimal" && scale !== undefined ? "scaled" : sqlite.columnEncodings[type];

/** Declared type of a column by encoding; `text` for all others. */
const affinities: Partial<Record<EncodingName, string>> = {
  bit: "integer",
  scaled: "integer",
  double: "real",
};

export function declaredType(property: StructuralProperty): string {
  if (property === datasetProperty) return datasetType;
  return property.collection ? "text" : (affinities[storedEncoding(property)] ?? "text");
}

/**
 * Returns where each property of a table is stored: in its own column or in the record's text.
 *
 * @param dataset column of the dataset
 */
export function sqliteColumns(table: TableSchema, dataset: Column): (property: StructuralProperty) => Column {
  const typed = new Set([...table.columns.map(({ name }) => name), validity.from.name, validity.to.name]);
  return (property) => {
    if (property.name === datasetProperty.name) return dataset;
    if (!typed.has(property.name)) return recordMember(property);
    return { sql: identifier(property.name), encoding: storedEncoding(property) };
  };
}

const record = identifier(recordColumns.text);

function recordMember(property: StructuralProperty): Column {
  const encoding = storedEncoding(property);
  if (property.collection || property.type === "Edm.GeographyPoint") {
    return { sql: sql`(${record} -> ${value(property.name)})`, encoding };
  }
  const member = sql`(${record} ->> ${value(property.name)})`;
  // Only a decimal is scaled: rounding turns an integer into a double, which loses digits beyond 2^53.
  if (encoding !== "scaled" || property.type !== "Edm.Decimal") return { sql: member, encoding };
  // A double holds the fifteen digits of any decimal here, so the rounded product is the exact integer.
  return { sql: sql`cast(round(${member} * ${value(10 ** (property.scale ?? 0))}) as integer)`, encoding };
}

export const sqliteForms: ReadForms = {
  dialect: sqlite,
  // Read as bytes, so that no string is created.
  text: sql`cast(${record} as blob)`,
  storedCell: ({ property, expression }, cellsPerUnit, of) => {
    if (expression.kind !== "Property" || expression.base !== undefined) return undefined;
    const { sql: column, encoding } = of.column(property);
    const units = 10 ** (property.scale ?? 0) / cellsPerUnit;
    if (encoding !== "scaled" || !Number.isInteger(units)) return undefined;
    // A division of integers truncates, so a negative remainder means the cell below.
    const unit = value(BigInt(units));
    return sql`${column} / ${unit} - (${column} % ${unit} < 0)`;
  },
  computed: (query, projection, of) => compileValue(query, projection, sqlite, of),
};
