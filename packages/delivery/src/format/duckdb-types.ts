import type { ExportColumn, ExportType } from "../source/export-source.ts";

/** DuckDB types by the name of the export type. */
const parquetTypes = {
  string: "VARCHAR",
  boolean: "BOOLEAN",
  int32: "INTEGER",
  int64: "BIGINT",
  double: "DOUBLE",
  timestamp: "TIMESTAMPTZ",
  date: "DATE",
  time: "TIME",
  json: "JSON",
} as const satisfies Record<Extract<ExportType, string>, string>;

/** Types that lines of `ExactLines` are read as. JSON is read as text, because DuckDB would not keep its exact text otherwise. */
const lineTypes = { ...parquetTypes, json: "VARCHAR" };

const columnType = (
  { type, collection }: ExportColumn,
  names: typeof lineTypes | typeof parquetTypes,
): string => `${valueType(type, names)}${collection ? "[]" : ""}`;

function valueType(type: ExportType, names: typeof lineTypes | typeof parquetTypes): string {
  if (typeof type === "string") return names[type];
  if ("decimal" in type) return `DECIMAL(${type.decimal.join()})`;
  return `STRUCT(${type.struct.map((member) => `${sqlName(member.name)} ${columnType(member, names)}`).join(", ")})`;
}

/** The type of a column in the Parquet file. */
export const writtenType = (column: ExportColumn): string => columnType(column, parquetTypes);

/** The type that DuckDB reads a column of `ExactLines` as, before it is converted for the Parquet file. */
export const readType = (column: ExportColumn): string => columnType(column, lineTypes);

/** Quotes a name as an SQL identifier. */
export const sqlName = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** Quotes a text as an SQL string literal. */
export const sqlText = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** True for decimals and JSON, which `ExactLines` must write as strings so that DuckDB reads them exactly. */
export const isRetyped = ({ type }: ExportColumn): boolean => {
  if (typeof type === "string") return type === "json";
  return "decimal" in type || type.struct.some(isRetyped);
};
