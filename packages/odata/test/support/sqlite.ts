import Database from "better-sqlite3";
import {
  type BoundQuery,
  compileCount,
  compilePage,
  type Mapping,
  type Row,
  sqlite,
  tableMapping,
} from "../../src/index.ts";
import { registerFunctions } from "../../src/sqlite/index.ts";
import { listing, rows } from "./listing.ts";
import { createSqliteTable } from "./sqlite-table.ts";

/** The test table: a column for every property. One decimal is an integer of cents, the other a double. */
export const mapping: Mapping = {
  ...tableMapping("property"),
  column: (property) => ({
    ...tableMapping("property").column(property),
    encoding: property.name === "ListPrice" ? "scaled" : sqlite.encodings[property.type],
  }),
};

/** An in-memory database that holds {@link rows}. */
export function openListings() {
  const database = new Database(":memory:");
  registerFunctions(database);
  createSqliteTable(database, "property", [...listing.type.properties.values()], rows, mapping);
  return {
    keys(query: BoundQuery): readonly unknown[] {
      const { text, values } = compilePage(query, sqlite, mapping);
      return (database.prepare(text).all(...values) as Row[]).map((row) => row["ListingKey"]);
    },
    page(query: BoundQuery): readonly (readonly unknown[])[] {
      const { text, values } = compilePage(query, sqlite, mapping, { order: true });
      return database
        .prepare(text)
        .raw()
        .safeIntegers()
        .all(...values) as unknown[][];
    },
    count(query: BoundQuery): unknown {
      const { text, values } = compileCount(query, sqlite, mapping);
      return (database.prepare(text).get(...values) as { count: number }).count;
    },
    value(text: string, values: readonly unknown[]): unknown {
      return database
        .prepare(text)
        .pluck()
        .get(...values);
    },
    close: () => void database.close(),
  };
}
