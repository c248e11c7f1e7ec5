import type { SchemaMember, SchemaType } from "../content/schema.ts";
import { quoteIdentifier, type SqlTypes } from "./session.ts";

type NamedType = Extract<SchemaType, string>;

/** Column types of Snowflake. Source: its SQL reference, "Summary of data types". */
export const snowflakeTypes: SqlTypes = {
  named: {
    string: "varchar",
    boolean: "boolean",
    int32: "number(10,0)",
    int64: "number(19,0)",
    double: "float",
    timestamp: "timestamp_tz",
    date: "date",
    time: "time",
    json: "variant",
  },
  decimal: (precision, scale) => `number(${precision},${scale})`,
  isNested: false,
};

const bigqueryNames: Readonly<Record<NamedType, string>> = {
  string: "string",
  boolean: "bool",
  int32: "int64",
  int64: "int64",
  double: "float64",
  timestamp: "timestamp",
  date: "date",
  time: "time",
  json: "string",
};

/** Largest scale, and number of digits before the point, of `numeric` in BigQuery. Source: its reference, "Data types". */
const numeric = { scale: 9, before: 29 } as const;

/** Quotes a name as an identifier of BigQuery. */
export const quoteBigqueryName = (name: string): string => quoteIdentifier(name).replaceAll('"', "`");

/** Returns the type of a column in BigQuery. */
export function bigqueryTypeOf({ type, collection }: SchemaMember): string {
  const one = bigqueryTypeOfOne(type);
  return collection ? `array<${one}>` : one;
}

function bigqueryTypeOfOne(type: SchemaType): string {
  if (typeof type === "string") return bigqueryNames[type];
  if ("decimal" in type) {
    const [precision, scale] = type.decimal;
    const isNumeric = scale <= numeric.scale && precision - scale <= numeric.before;
    return `${isNumeric ? "numeric" : "bignumeric"}(${precision}, ${scale})`;
  }
  const members = type.struct.map((member) => `${quoteBigqueryName(member.name)} ${bigqueryTypeOf(member)}`);
  return `struct<${members.join(", ")}>`;
}
