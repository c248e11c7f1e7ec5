import { listingAt, listingsUpTo } from "./listing.ts";

/** Columns of the tables of the floors and the peers, in the order of a record's members. */
export const columns: readonly string[] = Object.keys(listingAt(0));

export type ColumnType = "boolean" | "date" | "double" | "instant" | "integer" | "text";

const samples = [...listingsUpTo(100)];

/** True for boolean columns. SQLite has no booleans, so they are stored as 0 and 1. */
export const isBoolean = (column: string): boolean => column.endsWith("YN");

/** Returns the type of a column. A generated listing has numbers, texts and booleans only. */
export function typeOf(column: string): ColumnType {
  if (isBoolean(column)) return "boolean";
  const values = samples.map((listing) => listing[column]);
  if (values.some((value) => typeof value === "number"))
    return values.every((value) => value === null || Number.isInteger(value)) ? "integer" : "double";
  if (column.endsWith("Timestamp")) return "instant";
  return column.endsWith("Date") ? "date" : "text";
}
