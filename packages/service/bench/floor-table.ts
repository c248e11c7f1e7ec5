import Database from "better-sqlite3";
import { type Listing, listingAt, listingsUpTo, type Value } from "./listing.ts";

/** Columns of the floors' table, in the order of a record's members. */
export const columns: readonly string[] = Object.keys(listingAt(0));

/** SQLite has no booleans: these are stored as 0 and 1. */
export const isBoolean = (column: string): boolean => column.endsWith("YN");

/** Each serves one of the floors' queries from its first row on. */
const indexes = [
  ["StandardStatus", "ModificationTimestamp", "ListingKey"],
  ["StandardStatus", "ListPrice"],
  ["ModificationTimestamp", "ListingKey"],
] as const;

const quoted = (name: string) => `"${name}"`;
const bound = (value: Value | undefined) => (typeof value === "boolean" ? Number(value) : value);

/** Make the table of the first `count` listings, as one would by hand: a column a field. */
export function fillFloor(file: string, count: number): void {
  const database = new Database(file);
  database.pragma("journal_mode = wal");
  const declared = columns.map((column) =>
    column === "ListingKey" ? `${quoted(column)} text primary key` : `${quoted(column)} ${typeOf(column)}`,
  );
  database.exec(`create table listing (${declared.join(", ")})`);
  for (const [i, parts] of indexes.entries()) {
    database.exec(`create index listing_${i} on listing (${parts.map(quoted).join(", ")})`);
  }
  const insert = database.prepare(`insert into listing values (${columns.map(() => "?").join(", ")})`);
  database.transaction((listings: Iterable<Listing>) => {
    for (const listing of listings) insert.run(columns.map((column) => bound(listing[column])));
  })(listingsUpTo(count));
  database.close();
}

/** Numbers are stored as they come: whole ones as integers, the rest as doubles. */
const typeOf = (column: string) =>
  isBoolean(column) ? "integer" : typeof sample[column] === "string" ? "text" : "numeric";
const sample = listingAt(0);
