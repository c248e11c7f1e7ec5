import Database from "better-sqlite3";
import pg from "pg";
import { type Listing, listingsUpTo, type Value } from "./listing.ts";
import { type ColumnType, columns, typeOf } from "./listing-columns.ts";

/** Indexes for the queries of the floors, so that none of them scans the table. */
const indexes = [
  ["StandardStatus", "ModificationTimestamp", "ListingKey", "ListPrice", "BedroomsTotal"],
  ["StandardStatus", "ListPrice"],
  ["ModificationTimestamp", "ListingKey"],
  ["City", "ModificationTimestamp", "ListingKey", "ListPrice"],
] as const;

const quoted = (name: string) => `"${name}"`;
const quotedNames = (names: readonly string[]) => names.map(quoted).join(", ");
const bound = (value: Value | undefined) => (typeof value === "boolean" ? Number(value) : value);

/**
 * Creates a table of the first `count` listings with one column per field, in SQLite or PostgreSQL, unless a peer has created it.
 *
 * @param layout of PostgreSQL. `plain`: texts for dates and times, so that no value has to be written in another form; `lower`: names in
 * lower case, as they are without quotes
 */
export const fillTable = (
  database: string,
  count: number,
  table = "listing",
  layout: "lower" | "plain" | "proper" = "plain",
): Promise<void> | void =>
  database.startsWith("postgres:")
    ? fillPostgres(database, count, table, layout)
    : fillSqlite(database, count, table);

function fillSqlite(file: string, count: number, table: string): void {
  const database = new Database(file);
  database.pragma("journal_mode = wal");
  for (const statement of creation(table, sqliteTypes)) database.exec(statement);
  const insert = database.prepare(
    `insert into ${quoted(table)} (${quotedNames(columns)}) values (${columns.map(() => "?").join(", ")})`,
  );
  database.transaction((listings: Iterable<Listing>) => {
    for (const listing of listings) insert.run(columns.map((column) => bound(listing[column])));
  })(listingsUpTo(count));
  database.close();
}

/** Number of listings in a statement. */
const atOnce = 500;

async function fillPostgres(
  url: string,
  count: number,
  table: string,
  layout: keyof typeof postgresTypes,
): Promise<void> {
  const nameOf = layout === "lower" ? (column: string) => column.toLowerCase() : (column: string) => column;
  const rowOf = (listing: Listing) =>
    Object.fromEntries(Object.entries(listing).map(([column, value]) => [nameOf(column), value]));
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    for (const statement of creation(table, postgresTypes[layout], nameOf)) await client.query(statement);
    const insert = `insert into ${quoted(table)} select * from json_populate_recordset(null::${quoted(table)}, $1)`;
    let rows: Listing[] = [];
    for (const listing of listingsUpTo(count)) {
      if (rows.push(rowOf(listing)) < atOnce) continue;
      await client.query(insert, [JSON.stringify(rows)]);
      rows = [];
    }
    await client.query(insert, [JSON.stringify(rows)]);
  } finally {
    await client.end();
  }
}

type DeclaredTypes = Readonly<Record<ColumnType, string>>;

/** With `numeric`, SQLite stores whole numbers as integers and others as doubles. */
const sqliteTypes: DeclaredTypes = {
  boolean: "integer",
  date: "text",
  double: "numeric",
  instant: "text",
  integer: "numeric",
  text: "text",
};

const text = 'text collate "C"';
const plainTypes: DeclaredTypes = {
  boolean: "boolean",
  date: text,
  double: "numeric",
  instant: text,
  integer: "numeric",
  text,
};
const properTypes: DeclaredTypes = { ...plainTypes, date: "date", instant: "timestamptz", integer: "bigint" };
const postgresTypes = { plain: plainTypes, proper: properTypes, lower: properTypes } as const;

/** Returns the statements that create a table, if there is none, and its indexes. */
function creation(
  table: string,
  types: DeclaredTypes,
  nameOf = (column: string) => column,
): readonly string[] {
  const declared = columns.map(
    (column) =>
      `${quoted(nameOf(column))} ${types[typeOf(column)]}${column === "ListingKey" ? " primary key" : ""}`,
  );
  return [
    `create table if not exists ${quoted(table)} (${declared.join(", ")})`,
    ...indexes.map(
      (parts, i) =>
        `create index ${quoted(`${table}_${i}`)} on ${quoted(table)} (${quotedNames(parts.map(nameOf))})`,
    ),
  ];
}
