import { datasetProperty } from "@cadastre/entitlement";
import {
  type Column,
  compileValue,
  type EncodingName,
  identifier,
  type StructuralProperty,
  sql,
  sqlite,
  value,
} from "@cadastre/odata";
import type { ReadForms } from "../read/forms.ts";
import { recordColumns, type TableSchema, validity } from "../schema/table.ts";
import { datasetType } from "./datasets.ts";

/** A decimal with a scale is an integer, so that its comparisons are exact. */
export const formOf = ({ type, scale }: StructuralProperty): EncodingName =>
  type === "Edm.Decimal" && scale !== undefined ? "scaled" : sqlite.encodings[type];

/** Declared type of a column by the form of its values; what is not named is text. */
const affinities: Partial<Record<EncodingName, string>> = {
  bit: "integer",
  scaled: "integer",
  double: "real",
};

export function declaredType(property: StructuralProperty): string {
  if (property === datasetProperty) return datasetType;
  return property.collection ? "text" : (affinities[formOf(property)] ?? "text");
}

/** Where each property of a table lies: in a column of its own, or in the record's text. `dataset` is the dataset's. */
export function columnsOf(table: TableSchema, dataset: Column): (property: StructuralProperty) => Column {
  const typed = new Set([...table.columns.map(({ name }) => name), validity.from.name, validity.to.name]);
  return (property) => {
    if (property.name === datasetProperty.name) return dataset;
    if (!typed.has(property.name)) return recordMember(property);
    return { sql: identifier(property.name), encoding: formOf(property) };
  };
}

const record = identifier(recordColumns.text);

function recordMember(property: StructuralProperty): Column {
  const encoding = formOf(property);
  if (property.collection || property.type === "Edm.GeographyPoint") {
    return { sql: sql`(${record} -> ${value(property.name)})`, encoding };
  }
  const member = sql`(${record} ->> ${value(property.name)})`;
  // Only a decimal is scaled: rounding turns an integer into a double, which loses digits beyond 2^53.
  if (encoding !== "scaled" || property.type !== "Edm.Decimal") return { sql: member, encoding };
  // A double holds the fifteen digits of any decimal here, so the rounded product is the exact integer.
  return { sql: sql`cast(round(${member} * ${value(10 ** (property.scale ?? 0))}) as integer)`, encoding };
}

export const forms: ReadForms = {
  dialect: sqlite,
  // As bytes, without a string in between.
  text: sql`cast(${record} as blob)`,
  computed: (query, projection, of) => compileValue(query, projection, sqlite, of),
};
