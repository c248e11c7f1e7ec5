import Database from "better-sqlite3";
import {
  type BoundQuery,
  codecOf,
  compileCount,
  compilePage,
  encodings,
  type Mapping,
  type Row,
  sqlite,
  tableMapping,
} from "../../src/index.ts";
import { registerFunctions } from "../../src/sqlite/index.ts";
import { collectionText, listing, rows } from "./listing.ts";

const encodingOf = (name: string) => {
  const property = listing.type.properties.get(name);
  if (property === undefined) throw new RangeError(name);
  // One decimal as an integer of cents, the other as a double: both are supported forms.
  return { property, encoding: name === "ListPrice" ? "scaled" : sqlite.encodings[property.type] } as const;
};

/** The test table: a column for every property. */
export const mapping: Mapping = {
  ...tableMapping("property"),
  column: (property) => ({
    ...tableMapping("property").column(property),
    encoding: encodingOf(property.name).encoding,
  }),
};

/** An in-memory database that holds {@link rows}. */
export function openListings() {
  const database = new Database(":memory:");
  registerFunctions(database);
  const properties = [...listing.type.properties.keys()];
  database.exec(`create table "property" (${properties.map((name) => `"${name}"`).join(", ")})`);
  const insert = database.prepare(`insert into "property" values (${properties.map(() => "?").join(", ")})`);
  for (const row of rows) insert.run(...properties.map((name) => columnValue(name, row)));
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

function columnValue(name: string, row: Row): unknown {
  const { property, encoding } = encodingOf(name);
  const json = row[name];
  if (property.collection) return collectionText(property, json);
  if (json === undefined) return null;
  return encodings[encoding](codecOf(property.type).fromJson(json), property).value;
}
