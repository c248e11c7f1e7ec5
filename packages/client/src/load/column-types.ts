import type { ColumnKind } from "../content/columns.ts";
import type { SchemaColumn, SchemaMember, SchemaType } from "../content/schema.ts";
import { quoteIdentifier, type SqlTypes } from "./session.ts";

type NamedType = Extract<SchemaType, string>;

/** Largest precision of a decimal that a double, and so a number of SQLite, holds exactly. */
const exactDigits = 15;

/** Column types of SQLite. Texts of times sort as the times do. A decimal that a double cannot hold has no type, see `exactDecimal`. */
export const sqliteTypes: SqlTypes = {
  named: {
    string: "text",
    boolean: "boolean",
    int32: "integer",
    int64: "integer",
    double: "real",
    timestamp: "text",
    date: "text",
    time: "text",
    json: "text",
  },
  decimal: (precision, scale) => (precision <= exactDigits ? `decimal(${precision},${scale})` : ""),
  isNested: false,
};

export const postgresTypes: SqlTypes = {
  named: {
    string: "text",
    boolean: "boolean",
    int32: "integer",
    int64: "bigint",
    double: "double precision",
    timestamp: "timestamp with time zone",
    date: "date",
    time: "time without time zone",
    json: "jsonb",
  },
  decimal: (precision, scale) => `numeric(${precision},${scale})`,
  isNested: false,
};

export const duckdbTypes: SqlTypes = {
  named: {
    string: "varchar",
    boolean: "boolean",
    int32: "integer",
    int64: "bigint",
    double: "double",
    timestamp: "timestamp with time zone",
    date: "date",
    time: "time",
    json: "json",
  },
  decimal: (precision, scale) => `decimal(${precision},${scale})`,
  isNested: true,
};

/** Returns the type of a column as SQL. */
export function sqlTypeOf({ type, collection }: SchemaMember, types: SqlTypes): string {
  if (collection && !types.isNested) return types.named.json;
  const list = collection ? "[]" : "";
  if (typeof type === "string") return `${types.named[type]}${list}`;
  if ("decimal" in type) return `${types.decimal(...type.decimal)}${list}`;
  if (!types.isNested) return types.named.json;
  const members = type.struct.map((member) => `${quoteIdentifier(member.name)} ${sqlTypeOf(member, types)}`);
  return `struct(${members.join(", ")})${list}`;
}

/** Returns a type without letter case, spaces and quotes, in which catalogs differ from statements. */
export const plainType = (type: string): string => type.toLowerCase().replaceAll(/[\s"]/g, "");

const kinds: Readonly<Record<NamedType, ColumnKind>> = {
  string: "text",
  boolean: "boolean",
  int32: "integer",
  int64: "integer",
  double: "number",
  timestamp: "text",
  date: "text",
  time: "text",
  json: "json",
};

/** Returns the kind of a column's values. */
export function kindOfColumn({ type, collection }: SchemaColumn): ColumnKind {
  if (collection) return "json";
  if (typeof type === "string") return kinds[type];
  return "decimal" in type ? "number" : "json";
}

/** True for a decimal that SQLite holds as text if it has too many digits for a number. */
export const isLongDecimal = ({ type, collection }: SchemaMember): boolean =>
  !collection && typeof type === "object" && "decimal" in type && type.decimal[0] > exactDigits;
