import Database from "better-sqlite3";
import type { Row } from "./deliveries.ts";

/** Returns the keys and prices of the listings in an SQLite file. */
export function pricesIn(file: string): readonly (readonly [unknown, unknown])[] {
  const database = new Database(file, { readonly: true });
  try {
    return database
      .prepare<[], Row>('select "ListingKey" as k, "ListPrice" as p from listing order by 1')
      .all()
      .map(({ k, p }) => [k, p] as const);
  } finally {
    database.close();
  }
}

/** Returns the keys and prices of rows, in the same form. */
export const pricesOf = (rows: readonly Row[]): readonly (readonly [unknown, unknown])[] =>
  rows.map((row) => [row["ListingKey"], row["ListPrice"]] as const);
