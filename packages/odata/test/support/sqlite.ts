import Database from "better-sqlite3";
import {
  type BoundQuery,
  compileCount,
  compilePage,
  type Mapping,
  type Row,
  sql,
  sqlite,
  tableMapping,
} from "../../src/index.ts";
import { registerFunctions } from "../../src/sqlite/index.ts";
import { listing, rows } from "./listing.ts";
import { createSqliteTable } from "./sqlite-table.ts";

/** Mapping of the test table: one column per property. One decimal is an integer in cents, the other a double. */
export const mapping: Mapping = {
  ...tableMapping("property"),
  column: (property) => ({
    ...tableMapping("property").column(property),
    encoding: property.name === "ListPrice" ? "scaled" : sqlite.columnEncodings[property.type],
  }),
};

/** The same mapping for few rows, with dictionary-encoded cities. The codes of some are `known` without a query. */
export const codedMapping = (known: (city: unknown) => unknown): Mapping => ({
  ...mapping,
  readsFewRows: true,
  column: (property) =>
    property.name === "City"
      ? {
          sql: sql`(select "name" from "city" where "number" = "CityNumber")`,
          codes: {
            sql: sql`"CityNumber"`,
            of: (names) => sql`select "number" from "city" where "name" in (${names})`,
            known,
          },
        }
      : mapping.column(property),
});

const makeCodes = `
  create table "city" ("number" integer primary key, "name" text not null unique);
  insert into "city" ("name") select distinct "City" from "property" where "City" is not null;
  alter table "property" add column "CityNumber" integer;
  update "property" set "CityNumber" = (select "number" from "city" where "name" = "City");
  alter table "property" drop column "City"`;

/** Returns the codes of every other city. */
function knownCities(database: Database.Database): (city: unknown) => unknown {
  const find = database.prepare(`select "number" from "city" where "name" = ? and "number" % 2 = 1`).pluck();
  return (city) => find.get(city);
}

/** Opens an in-memory database with {@link rows}. */
export function openListings({ isCoded = false } = {}) {
  const database = new Database(":memory:");
  registerFunctions(database);
  createSqliteTable(database, "property", [...listing.type.properties.values()], rows, mapping);
  if (isCoded) database.exec(makeCodes);
  const lies = isCoded ? codedMapping(knownCities(database)) : mapping;
  return {
    keys(query: BoundQuery): readonly unknown[] {
      const { text, values } = compilePage(query, sqlite, lies);
      return (database.prepare(text).all(...values) as Row[]).map((row) => row["ListingKey"]);
    },
    page(query: BoundQuery): readonly (readonly unknown[])[] {
      const { text, values } = compilePage(query, sqlite, lies, { order: true });
      return database
        .prepare(text)
        .raw()
        .safeIntegers()
        .all(...values) as unknown[][];
    },
    count(query: BoundQuery): unknown {
      const { text, values } = compileCount(query, sqlite, lies);
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
