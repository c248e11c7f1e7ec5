import Database from "better-sqlite3";
import pg from "pg";
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

/** Creates a plain table of the first `count` listings, with one column per field, in SQLite or PostgreSQL. */
export const fillFloor = (database: string, count: number): Promise<void> | void =>
  database.startsWith("postgres:") ? fillPostgres(database, count) : fillSqlite(database, count);

function fillSqlite(file: string, count: number): void {
  const database = new Database(file);
  database.pragma("journal_mode = wal");
  for (const statement of creation(typeInSqlite)) database.exec(statement);
  const insert = database.prepare(`insert into listing values (${columns.map(() => "?").join(", ")})`);
  database.transaction((listings: Iterable<Listing>) => {
    for (const listing of listings) insert.run(columns.map((column) => bound(listing[column])));
  })(listingsUpTo(count));
  database.close();
}

/** Number of listings in a statement. */
const atOnce = 500;

async function fillPostgres(url: string, count: number): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  for (const statement of creation(typeInPostgres)) await client.query(statement);
  const insert = "insert into listing select * from json_populate_recordset(null::listing, $1)";
  let rows: Listing[] = [];
  for (const listing of listingsUpTo(count)) {
    if (rows.push(listing) < atOnce) continue;
    await client.query(insert, [JSON.stringify(rows)]);
    rows = [];
  }
  await client.query(insert, [JSON.stringify(rows)]);
  await client.end();
}

/** Returns the statements that create the table and its indexes. */
function creation(typeOf: (column: string) => string): readonly string[] {
  const declared = columns.map(
    (column) => `${quoted(column)} ${typeOf(column)}${column === "ListingKey" ? " primary key" : ""}`,
  );
  const names = (parts: readonly string[]) => parts.map(quoted).join(", ");
  return [
    `create table listing (${declared.join(", ")})`,
    ...indexes.map((parts, i) => `create index listing_${i} on listing (${names(parts)})`),
  ];
}

/** Returns the declared type of a column. With `numeric`, SQLite stores whole numbers as integers and others as doubles. */
const typeInSqlite = (column: string) =>
  isBoolean(column) ? "integer" : typeof sample[column] === "string" ? "text" : "numeric";
const typeInPostgres = (column: string) =>
  isBoolean(column) ? "boolean" : isNumber(column) ? "numeric" : 'text collate "C"';
const sample = listingAt(0);
const samples = [...listingsUpTo(100)];
const isNumber = (column: string) => samples.some((listing) => typeof listing[column] === "number");
