import type { DialectName } from "@cadastre/odata/run";
import type { PropertyDeclaration } from "../model/property.ts";
import type { ColumnFacts } from "./table-facts.ts";

/** Contents of a column that a property can be read from. */
type ColumnContent =
  | "text"
  | "member"
  | "boolean"
  | "smallint"
  | "integer"
  | "bigint"
  | "decimal"
  | "single"
  | "double"
  | "date"
  | "time"
  | "instant"
  | "instant text"
  | "count"
  | "guid"
  | "json";

const contentOfType: Readonly<Record<string, ColumnContent>> = {
  "Edm.String": "text",
  "Edm.Boolean": "boolean",
  "Edm.Int16": "smallint",
  "Edm.Int32": "integer",
  "Edm.Int64": "bigint",
  "Edm.Decimal": "decimal",
  "Edm.Single": "single",
  "Edm.Double": "double",
  "Edm.Date": "date",
  "Edm.TimeOfDay": "time",
  "Edm.DateTimeOffset": "instant",
  "Edm.Guid": "guid",
};

const contentOfStorage = {
  "iso-text": "instant text",
  "iso-text-seconds": "instant text",
  milliseconds: "count",
  seconds: "count",
  "scaled-integer": "count",
  double: "double",
} as const satisfies Record<NonNullable<PropertyDeclaration["storage"]>, ColumnContent>;

function contentOf({ facts, storage }: PropertyDeclaration): ColumnContent {
  if (facts.collection) return "json";
  if (storage !== undefined) return contentOfStorage[storage];
  return facts.enumType === undefined ? (contentOfType[facts.type] ?? "json") : "member";
}

const texts = ["text", "character varying", "character"];
const wholes = ["smallint", "integer", "bigint"];

/** Types of PostgreSQL that each content is read from exactly, the usual one first. */
const postgresTypes: Readonly<Record<ColumnContent, readonly string[]>> = {
  text: texts,
  member: texts,
  boolean: ["boolean"],
  smallint: ["smallint"],
  integer: ["integer", "smallint"],
  bigint: ["bigint", "integer", "smallint"],
  decimal: ["numeric", ...wholes],
  single: ["real"],
  double: ["double precision", "real", "integer", "smallint"],
  date: ["date"],
  time: ["time without time zone"],
  instant: ["timestamp with time zone"],
  "instant text": texts,
  count: ["bigint", "integer", "smallint"],
  guid: ["uuid"],
  json: ["jsonb"],
};

/** How SQLite converts the values of a column. Source: Datatypes In SQLite, section 3.1. */
type Affinity = "integer" | "text" | "blob" | "real" | "numeric";

function affinityOf(type: string): Affinity {
  if (type.includes("int")) return "integer";
  if (/char|clob|text/.test(type)) return "text";
  if (type === "" || type.includes("blob")) return "blob";
  return /real|floa|doub/.test(type) ? "real" : "numeric";
}

/** A column of numbers keeps a text that does not look like a number; one of text has numbers as text. */
const numbers: readonly Affinity[] = ["integer", "numeric", "blob"];
const words: readonly Affinity[] = ["text", "numeric", "blob"];
const doubles: readonly Affinity[] = ["real", "numeric", "integer", "blob"];

/** Affinities of SQLite that keep each content as it is, the usual one first, which is the name of a type as well. */
const sqliteAffinities: Readonly<Record<ColumnContent, readonly Affinity[]>> = {
  // In a numeric column `007` becomes 7.
  text: ["text", "blob"],
  member: words,
  boolean: numbers,
  smallint: numbers,
  integer: numbers,
  bigint: numbers,
  decimal: doubles,
  single: doubles,
  double: doubles,
  date: words,
  time: words,
  instant: words,
  "instant text": words,
  count: numbers,
  guid: words,
  json: words,
};

/** True if values of a property are read exactly from a column of this type. */
export function readsExactly(
  property: PropertyDeclaration,
  { type, facets }: ColumnFacts,
  on: DialectName,
): boolean {
  const content = contentOf(property);
  if (on === "sqlite") return sqliteAffinities[content].includes(affinityOf(type));
  // A decimal without digits after the point is an integer.
  if (type === "numeric" && facets.length > 0 && (facets[1] ?? 0) === 0 && content === "count") return true;
  return postgresTypes[content].includes(type);
}

/** Returns the type of a new column for the values of a property. */
export function columnType(property: PropertyDeclaration, on: DialectName): string {
  const content = contentOf(property);
  return (on === "sqlite" ? sqliteAffinities[content][0] : postgresTypes[content][0]) ?? "text";
}

/** True if a property is sorted as text, by code point. */
export const isSortedAsText = (property: PropertyDeclaration): boolean =>
  texts === postgresTypes[contentOf(property)];
