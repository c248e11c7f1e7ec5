import type { ExportColumn, ExportType } from "../source.ts";

/** Types that DuckDB is told to read as, where they are named. */
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

const typeText = (type: ExportType): string => {
  if (typeof type === "string") return named[type];
  if ("decimal" in type) return `DECIMAL(${type.decimal.join()})`;
  return `STRUCT(${type.struct.map((member) => `${sqlName(member.name)} ${columnType(member)}`).join(", ")})`;
};

/** A column's type in the words of DuckDB. */
export const columnType = ({ type, collection }: ExportColumn): string =>
  `${typeText(type)}${collection ? "[]" : ""}`;

/** A name as SQL has it. */
export const sqlName = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** A text as SQL has it. */
export const sqlText = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** Whether a value of the type has to be a string, for DuckDB to read it to the letter. */
export const isRetyped = ({ type }: ExportColumn): boolean => {
  if (typeof type === "string") return type === "json";
  return "decimal" in type || type.struct.some(isRetyped);
};
