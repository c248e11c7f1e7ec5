import { datasetProperty } from "@cadastre/entitlement";
import {
  type BoundNode,
  type Column,
  identifier,
  type SqlFragment,
  type StructuralProperty,
  sql,
  sqlite,
} from "@cadastre/odata";
import { compileValue, type EncodingName } from "@cadastre/odata/compile";
import { value } from "@cadastre/odata/run";
import { cellAggregate } from "../../read/cell-counter.ts";
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

/** See `ReadForms.storedCell`. Reads a decimal that is stored as an integer, whole or rounded to some digits, by integer arithmetic alone. */
const storedCell: ReadForms["storedCell"] = ({ expression }, cellsPerUnit, of) => {
  const { shown, digits } = roundedProperty(expression);
  if (shown.kind !== "Property" || shown.base !== undefined) return undefined;
  const { sql: column, encoding } = of.column(shown.property);
  const { scale = 0 } = shown.property;
  const [units, rounding] = [10 ** scale / cellsPerUnit, 10 ** Math.max(scale - digits, 0)];
  if (encoding !== "scaled" || !Number.isInteger(units) || units % rounding !== 0) return undefined;
  const number = rounding === 1 ? column : roundedQuotient(column, rounding);
  const unit = value(BigInt(units / rounding));
  // A division of integers truncates, so a negative remainder means the cell below.
  return sql`${number} / ${unit} - (${number} % ${unit} < 0)`;
};

/** Returns the value that a mask rounds, and to how many digits after the point. Any other expression is whole. */
function roundedProperty(expression: BoundNode): { readonly shown: BoundNode; readonly digits: number } {
  const whole = { shown: expression, digits: Number.POSITIVE_INFINITY };
  if (expression.kind !== "Call" || expression.entry.name !== "roundto") return whole;
  const [shown, digits] = expression.args;
  if (shown === undefined || digits?.kind !== "Constant" || digits.value === null) return whole;
  return { shown, digits: Number(digits.value) };
}

/** Divides integers, and rounds half away from zero. @param divisor a multiple of 10 */
function roundedQuotient(column: SqlFragment, divisor: number): SqlFragment {
  const [whole, half] = [value(BigInt(divisor)), value(BigInt(divisor / 2))];
  return sql`(${column} / ${whole} + (${column} % ${whole} >= ${half}) - (${column} % ${whole} <= -${half}))`;
}

export const sqliteForms: ReadForms = {
  dialect: sqlite,
  // Read as bytes, so that no string is created.
  text: sql`cast(${record} as blob)`,
  emptyText: sql`cast('{}' as blob)`,
  storedCell,
  cellCounts: (rows) => `select "${cellAggregate}"("cell0", "cell1") from (${rows})`,
  isAmong: (text, array) => sql`${text} in (select "value" from json_each(${array}))`,
  computed: (query, projection, of) => compileValue(query, projection, sqlite, of),
};
