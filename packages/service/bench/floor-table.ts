import Database from "better-sqlite3";
import { type Listing, listingAt, listingsUpTo, type Value } from "./listing.ts";

/** Columns of the table of the floors, in the order of a record's members. */
export const columns: readonly string[] = Object.keys(listingAt(0));

/** True for boolean columns. SQLite has no booleans, so they are stored as 0 and 1. */
export const isBoolean = (column: string): boolean => column.endsWith("YN");

/** Indexes for the queries of the floors, so that none of them scans the table. */
const indexes = [
  ["StandardStatus", "ModificationTimestamp", "ListingKey"],
  ["StandardStatus", "ListPrice"],
  ["ModificationTimestamp", "ListingKey"],
] as const;

const quoted = (name: string) => `"${name}"`;
const bound = (value: Value | undefined) => (typeof value === "boolean" ? Number(value) : value);

/** Creates a plain table of the first `count` listings, with one column per field. */
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

/** Returns the declared type of a column. With `numeric`, SQLite stores whole numbers as integers and others as doubles. */
const typeOf = (column: string) =>
  isBoolean(column) ? "integer" : typeof sample[column] === "string" ? "text" : "numeric";
const sample = listingAt(0);
