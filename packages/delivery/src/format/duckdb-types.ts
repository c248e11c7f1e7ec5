import type { ExportColumn, ExportType } from "../source/export-source.ts";

/** Types of DuckDB by their names here. */
const named = {
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

/** The types that it reads `ExactLines` as: JSON would lose its own text. */
const read = { ...named, json: "VARCHAR" };

const textOf = ({ type, collection }: ExportColumn, names: typeof read | typeof named): string =>
  `${oneOf(type, names)}${collection ? "[]" : ""}`;

function oneOf(type: ExportType, names: typeof read | typeof named): string {
  if (typeof type === "string") return names[type];
  if ("decimal" in type) return `DECIMAL(${type.decimal.join()})`;
  return `STRUCT(${type.struct.map((member) => `${sqlName(member.name)} ${textOf(member, names)}`).join(", ")})`;
}

/** The type that a column is written as. */
export const writtenType = (column: ExportColumn): string => textOf(column, named);

/** The type that a column of `ExactLines` is read as. */
export const readType = (column: ExportColumn): string => textOf(column, read);

/** A name as SQL has it. */
export const sqlName = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** A text as SQL has it. */
export const sqlText = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** Whether a value of the type has to be a string, for DuckDB to read it to the letter. */
export const isRetyped = ({ type }: ExportColumn): boolean => {
  if (typeof type === "string") return type === "json";
  return "decimal" in type || type.struct.some(isRetyped);
};
