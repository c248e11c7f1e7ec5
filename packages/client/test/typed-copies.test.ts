import { hasPostgres } from "@cadastre/odata/testing";
import { describe, expect, test } from "vitest";
import { deltaAfter, seedAfter } from "./support/chain.ts";
import type { DeliveryOptions, Row, TestDelivery } from "./support/deliveries.ts";
import { type Emptied, engines, load, withPostgres } from "./support/engines.ts";
import { useServer } from "./support/server.ts";

const server = useServer();
withPostgres();

const point = { struct: [member("type", "string"), member("coordinates", "double", true)] };
function member(name: string, type: unknown, collection = false) {
  return { name, type, collection, nullable: true };
}

const columns = [
  { ...member("ListingKey", "string"), title: "Listing Key" },
  { ...member("ListPrice", { decimal: [14, 2] }), title: "List Price, in the lister's currency" },
  { ...member("Acres", { decimal: [16, 4] }), title: null },
  { ...member("Bedrooms", "int64"), title: null },
  { ...member("Area", "double"), title: null },
  { ...member("Waterfront", "boolean"), title: null },
  { ...member("Changed", "timestamp"), title: null },
  { ...member("Listed", "date"), title: null },
  { ...member("Opens", "time"), title: null },
  { ...member("Cooling", "string", true), title: null },
  { ...member("Place", point), title: null },
  { ...member("Remark", "string"), title: null },
  { ...member("Later", "string"), title: null },
];
const schema = JSON.stringify({ documentVersion: 2, datasets: [{ name: "listing", columns }] });

/** Numbers as the digits of the source: JSON has no other form of an exact decimal. */
class Digits {
  readonly digits: string;
  constructor(digits: string) {
    this.digits = digits;
  }
  toJSON(): number {
    return Number(this.digits);
  }
}

/** Adds the columns without a value: a service writes all columns in the header of CSV. */
const full = (row: Row): Row => Object.fromEntries(columns.map(({ name }) => [name, row[name] ?? null]));

const rows: readonly Row[] = [
  {
    ListingKey: "a",
    ListPrice: new Digits("350000"),
    Acres: new Digits("0.25"),
    Bedrooms: 3,
    Waterfront: true,
    Changed: "2026-01-15T08:30:00.123Z",
    Listed: "2026-01-15",
    Opens: "08:30:00",
    Cooling: ["Central Air", 'Zoned, "new"'],
    Place: { type: "Point", coordinates: [-97.74, 30.27] },
    Remark: "",
  },
  { ListingKey: "b", ListPrice: new Digits("123456789012.35"), Area: 1.5, Cooling: [], Remark: "12.50" },
  { ListingKey: "c", Remark: "true" },
].map(full);
const changed: readonly Row[] = [
  { ListingKey: "b", ListPrice: new Digits("0.1"), Acres: new Digits("12.5"), Later: "a value at last" },
  { ListingKey: "d", Bedrooms: 9_007_199_254_740_991, Changed: "2026-02-01T00:00:00.000Z" },
].map(full);

type Format = NonNullable<DeliveryOptions["format"]>;

async function chain(format: Format, documents: { readonly schema: string }) {
  const options = { format, documents };
  const seed = await seedAfter(undefined, { ...options, datasets: { listing: rows } });
  const delta = await deltaAfter(seed, {
    ...options,
    datasets: { listing: changed },
    removals: { listing: ["c"] },
  });
  return [seed, delta] as const;
}

const loadAll = async ({ target }: Emptied, deliveries: readonly TestDelivery[]) => {
  for (const delivery of deliveries) await load(server(), target, delivery);
};

/** Types of the columns of `listing` by name, by the catalog of each engine. */
const typesOf: Readonly<Record<string, string>> = {
  SQLite: "select name, lower(type) as type from pragma_table_info('listing') order by cid",
  PostgreSQL: `select attname as name, format_type(atttypid, atttypmod) as type from pg_attribute
     where attrelid = 'listing'::regclass and attnum > 0 and not attisdropped order by attnum`,
  DuckDB:
    "select column_name as name, data_type as type from duckdb_columns() where table_name = 'listing' order by column_index",
};
const wanted: Readonly<Record<string, readonly string[]>> = {
  SQLite: [
    "text",
    "decimal(14,2)",
    "",
    "integer",
    "real",
    "boolean",
    "text",
    "text",
    "text",
    "text",
    "text",
    "text",
    "text",
  ],
  PostgreSQL: [
    "text",
    "numeric(14,2)",
    "numeric(16,4)",
    "bigint",
    "double precision",
    "boolean",
    "timestamp with time zone",
    "date",
    "time without time zone",
    "jsonb",
    "jsonb",
    "text",
    "text",
  ],
  DuckDB: [
    "VARCHAR",
    "DECIMAL(14,2)",
    "DECIMAL(16,4)",
    "BIGINT",
    "DOUBLE",
    "BOOLEAN",
    "TIMESTAMP WITH TIME ZONE",
    "DATE",
    "TIME",
    "VARCHAR[]",
    'STRUCT("type" VARCHAR, coordinates DOUBLE[])',
    "VARCHAR",
    "VARCHAR",
  ],
};

describe.each(engines)("$name", ({ name, isAbsent, begin }) => {
  const has = test.skipIf(isAbsent);
  const typed = async ({ all }: Emptied) =>
    (await all(typesOf[name] ?? "")).map((column) => [column["name"], column["type"]]);
  const cells = ({ all }: Emptied) => all('select * from listing order by "ListingKey"');

  has(
    "has all columns with their types from the first load on, and the same cells of JSON lines, CSV and Parquet",
    async () => {
      const copies: unknown[] = [];
      for (const format of ["jsonl", "csv", "parquet"] as const) {
        const place = await begin();
        const [seed, delta] = await chain(format, { schema });
        await loadAll(place, [seed]);
        const types = columns.map((column, k) => [column.name, wanted[name]?.[k]]);
        expect(await typed(place)).toEqual(types);
        const first = await cells(place);
        await loadAll(place, [delta]);
        expect(await typed(place)).toEqual(types);
        copies.push([first, await cells(place)]);
      }
      for (const other of copies.slice(1)) expect(other).toEqual(copies[0]);
      const [[first, last]] = copies as unknown as [[readonly Row[], readonly Row[]]];
      expect(first).toHaveLength(3);
      expect(last.map((row) => row["ListingKey"])).toEqual(["a", "b", "d"]);
      const [a, , d] = last;
      expect([Number(a?.["ListPrice"]), Number(a?.["Acres"]), a?.["Remark"]]).toEqual([350_000, 0.25, ""]);
      expect(Number(first[1]?.["ListPrice"])).toBe(123_456_789_012.35);
      expect(first[1]?.["Remark"]).toBe("12.50");
      expect(String(d?.["Bedrooms"])).toBe("9007199254740991");
      expect(new Date(a?.["Changed"] as string).toISOString()).toBe("2026-01-15T08:30:00.123Z");
      const list = a?.["Cooling"];
      expect(typeof list === "string" ? JSON.parse(list) : list).toEqual(["Central Air", 'Zoned, "new"']);
    },
  );

  has("a copy of an earlier release goes on with its columns, and loses nothing", async () => {
    for (const format of ["jsonl", "csv"] as const) {
      const place = await begin();
      // An earlier release of the client does not read the document.
      const seed = await seedAfter(undefined, {
        format,
        documents: { schema },
        datasets: { listing: rows },
        edit: (manifest) => ({ ...manifest, documents: [] }),
      });
      await loadAll(place, [seed]);
      const before = await typed(place);
      expect(before.length).toBeLessThan(columns.length);
      const delta = await deltaAfter(seed, {
        format,
        documents: { schema },
        datasets: { listing: changed },
        removals: { listing: ["c"] },
      });
      expect(delta.manifest.documents).toHaveLength(1);
      await loadAll(place, [delta]);
      const after = await typed(place);
      expect(after.filter(([column]) => before.some(([known]) => known === column))).toEqual(before);
      const found = await cells(place);
      expect(found.map((row) => [row["ListingKey"], row["Remark"] ?? null, row["Later"] ?? null])).toEqual([
        ["a", "", null],
        ["b", null, "a value at last"],
        ["d", null, null],
      ]);
      expect(Number(found[1]?.["ListPrice"])).toBe(0.1);
      // The next seed states the schema: SQLite and PostgreSQL keep the tables, DuckDB replaces them.
      const seedAgain = await seedAfter(delta, {
        format,
        documents: { schema },
        datasets: { listing: rows },
      });
      await loadAll(place, [seedAgain]);
      expect((await cells(place)).map((row) => [row["ListingKey"], row["Remark"] ?? null])).toEqual([
        ["a", ""],
        ["b", "12.50"],
        ["c", "true"],
      ]);
    }
  });

  test.skipIf(isAbsent || name === "DuckDB")(
    "Parquet goes into a table with types of the user's own",
    async () => {
      const place = await begin();
      const number = name === "SQLite" ? "real" : "double precision";
      await place.exec(`create table listing ("ListingKey" text primary key, "Bedrooms" ${number})`);
      await loadAll(place, await chain("parquet", { schema }));
      const found = await cells(place);
      expect(found.map((row) => [row["ListingKey"], row["Bedrooms"], row["Remark"]])).toEqual([
        ["a", 3, ""],
        ["b", null, null],
        ["d", 9_007_199_254_740_991, null],
      ]);
      expect(await typed(place)).toContainEqual(["Bedrooms", number]);
    },
  );

  has("a name that is no column name is refused, and a type in the document is no SQL", async () => {
    const place = await begin();
    const hostile = (column: object) =>
      JSON.stringify({
        documentVersion: 2,
        datasets: [{ name: "listing", columns: [columns[0], { ...columns[1], ...column }] }],
      });
    const loading = async (document: string) => {
      const seed = await seedAfter(undefined, {
        documents: { schema: document },
        datasets: { listing: [{ ListingKey: "a" }] },
      });
      return load(server(), place.target, seed);
    };
    await expect(loading(hostile({ name: 'x" text); drop table listing; --' }))).rejects.toMatchObject({
      code: "column_name",
    });
    // A document with an unknown type is not used.
    await loading(hostile({ type: "text); drop table listing; --", sql: { postgres: "x); drop" } }));
    expect((await typed(place)).map(([column]) => column)).toEqual(["ListingKey"]);
  });
});

test.skipIf(!hasPostgres)("PostgreSQL has the names of the Data Dictionary as comments", async () => {
  const engine = engines.find(({ name }) => name === "PostgreSQL");
  if (engine === undefined) throw new Error("there is PostgreSQL");
  const place = await engine.begin();
  const [seed] = await chain("jsonl", { schema });
  await loadAll(place, [seed]);
  const found = await place.all(
    "select col_description('listing'::regclass, n) as comment from generate_series(1, 3) as n order by n",
  );
  expect(found.map(({ comment }) => comment)).toEqual([
    "Listing Key",
    "List Price, in the lister's currency",
    null,
  ]);
});
