import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import {
  type BoundQuery,
  bindQuery,
  compileCount,
  compilePage,
  type EntitySet,
  parseFilter,
  parseOrderBy,
  QueryError,
  type StructuralProperty,
  tableMapping,
} from "../../src/index.ts";
import { callTexts } from "../../src/testing/calls.ts";
import { filterTexts, orderByTexts } from "../support/arbitraries.ts";
import { openDatabases } from "../support/databases.ts";
import { listing } from "../support/listing.ts";

const numRuns = Number(process.env["CASES"] ?? 15);
const { SEED } = process.env;
const parameters = SEED === undefined ? { numRuns } : { numRuns, seed: Number(SEED) };
const options = { timeout: 120_000 + numRuns * 200 };

/** The listing with shapes that are no points. */
const hostile: EntitySet = {
  ...listing,
  name: "Hostile",
  type: {
    ...listing.type,
    properties: new Map<string, StructuralProperty>([
      ...listing.type.properties,
      ["Line", { name: "Line", type: "Edm.GeographyLineString", collection: false, nullable: true }],
      ["Area", { name: "Area", type: "Edm.GeographyPolygon", collection: false, nullable: true }],
      ["value", { name: "value", type: "Edm.String", collection: true, nullable: false }],
      ["path", { name: "path", type: "Edm.Int64", collection: true, nullable: false }],
    ]),
  },
};

const json = [
  "null",
  "{}",
  "5",
  '"x"',
  "[]",
  "[null]",
  '[{},[],true,"",0]',
  '["NaN","1e9999","P1D","24:00","2024-02-30"]',
  "[1e1000,1e-1000,1.5,99999999999999999999,9223372036854775807,-9223372036854775808]",
  '["9999-12-31T23:59:59.999999999999Z","-9999-01-01","294277-01-01T00:00:00Z"]',
  '{"type":"Point","coordinates":[1e400,"x"]}',
  '{"type":"Point","coordinates":[1e30,-1e30]}',
  '{"type":"Point","coordinates":[]}',
  '{"type":"Point"}',
  '{"type":"Point","coordinates":[180,90]}',
  '{"type":"LineString","coordinates":[[0,0],[180,0],[0,91]]}',
  '{"type":"LineString","coordinates":[]}',
  '{"type":"Polygon","coordinates":[[[0,0],[2,0],[2,2],[0,2],[0,0]]]}',
  '{"type":"Polygon","coordinates":[[],[[0]],null]}',
  '{"type":"Polygon","coordinates":[[[0,0],[180,0],[0,0]]]}',
  '{"type":"Polygon","coordinates":[[[0,90],[90,90],[180,-90],[0,90]]]}',
];
const texts = ["", " ", "\u007f", "\\", "%", "'", "1e9999", "P1D", "24:00", "é😀", "x".repeat(100_000)];

/** Whatever a column of SQLite may hold, whatever its type is said to be. */
const storable: readonly unknown[] = [
  null,
  0n,
  -1n,
  2n ** 63n - 1n,
  -(2n ** 63n),
  1.5,
  -0,
  1e308,
  5e-324,
  Number.POSITIVE_INFINITY,
  Number.NEGATIVE_INFINITY,
  Buffer.from([0, 255, 34, 91]),
  Buffer.from("[1]"),
  "\ud800",
  "a\0b",
  "[",
  '["\\ud800"]',
  '["\\u0000"]',
  '{"type":"Point","coordinates":',
  "0001-01-01",
  "9999-12-31T23:59:59.999Z",
  "-9999-13-45",
  "99999-01-01T25:61:61Z",
  "23:59:60",
  "~",
  "250000",
  "0500001~",
  "2999999",
  ...texts,
  ...json,
];

/** What the columns of PostgreSQL may hold, by their types. */
const storableAs: Readonly<Record<string, readonly (string | null)[]>> = {
  text: [null, ...texts],
  bool: [null, "true", "false"],
  int2: ["32767", "-32768", "0"],
  int8: ["9223372036854775807", "-9223372036854775808", "0", null],
  numeric: ["NaN", "Infinity", "-Infinity", "1e100000", "-1e-16000", "0", null],
  float4: ["NaN", "Infinity", "-Infinity", "3.4028235e38", "1e-45", "-0", null],
  float8: ["NaN", "Infinity", "-Infinity", "1.7976931348623157e308", "5e-324", "-0", null],
  date: ["infinity", "-infinity", "4713-01-01 BC", "5874897-12-31", "0001-01-01", null],
  timestamptz: ["infinity", "-infinity", "4713-01-01 BC", "294276-12-31 23:59:59.999999+00", null],
  time: ["00:00", "24:00", "23:59:59.999999", null],
  uuid: ["00000000-0000-0000-0000-000000000000", "ffffffff-ffff-ffff-ffff-ffffffffffff", null],
  jsonb: [null, ...json.filter((one) => !one.includes("1e1000")), "[1e1000]", '[1e100000,"\\ud83d\\ude00"]'],
};

const databases = await openDatabases();
afterAll(() => Promise.all(databases.map((database) => database.close())));

/** Overloads are chosen by all arguments: not every choice of arguments fits one. */
function isBindable(filter: string): boolean {
  try {
    bindQuery({ filter: parseFilter(filter), top: 1 }, hostile);
    return true;
  } catch (error) {
    if (error instanceof QueryError) return false;
    throw error;
  }
}

const columns = [...hostile.type.properties.keys()];
const rowCount = 40;

for (const { dialect, fill, execute, run } of databases) {
  await fill(hostile, []);
  let poolsOf = columns.map(() => storable);
  if (dialect.name === "postgres") {
    // A decimal of any size, and the types that the columns have.
    for (const name of ["ListPrice", "LivingArea"])
      await execute(`alter table "Hostile" alter "${name}" type numeric`);
    const types = new Map(
      (await run({
        text: "select column_name, udt_name from information_schema.columns where table_name = 'Hostile'",
        values: [],
      })) as [string, string][],
    );
    poolsOf = columns.map((name) => storableAs[types.get(name) ?? ""] ?? [null]);
  }
  const places = columns.map((_, i) => (dialect.name === "postgres" ? `$${i + 1}` : "?")).join();
  for (let row = 0; row < rowCount; row += 1) {
    // The sizes of the pools have no factor in common with the step: every value meets others each time.
    const values = poolsOf.map((pool, i) => pool[(row + i * 7 + ((row * i) % 5)) % pool.length]);
    await execute(`insert into "Hostile" values (${places})`, values);
  }
}

describe.each(databases)("on $dialect.name", ({ dialect, run }) => {
  const mapping = tableMapping(hostile.name);
  const walk = async (query: BoundQuery) => {
    const found = await run(compilePage(query, dialect, mapping, { order: true }));
    const after = found.at(-1)?.slice(query.select.length);
    if (after !== undefined) await run(compilePage({ ...query, after }, dialect, mapping, { order: true }));
  };

  test.each([
    "value/any(v:v eq 'x')",
    "path/all(p:p gt 1)",
    "value/any(v:path/any(p:p gt length(v)))",
    "path/$count gt 1",
    "value/$count($filter=contains($this,'x')) gt 1",
    "hassubset(path,[9223372036854775807])",
    "geo.length(Line) gt 1",
    "geo.intersects(Place,Area)",
    'hassubset(value,["\\ud800"])',
    "concat(path,path)/$count gt 1",
  ])("no data makes %s raise an error", async (text) => {
    const query = bindQuery({ filter: parseFilter(text), top: 100 }, hostile);
    await run(compileCount(query, dialect, mapping));
    await walk(query);
  });

  test("no data makes a filter raise an error", options, async () => {
    const filters = fc.oneof(filterTexts, callTexts(hostile).filter(isBindable));
    await fc.assert(
      fc.asyncProperty(filters, async (text) => {
        await expect(
          walk(bindQuery({ filter: parseFilter(text), top: 9 }, hostile)),
          text,
        ).resolves.not.toThrow();
      }),
      parameters,
    );
  });

  test("no data makes an order raise an error, page after page", options, async () => {
    await fc.assert(
      fc.asyncProperty(orderByTexts, fc.integer({ min: 1, max: rowCount }), async (text, top) => {
        await expect(
          walk(bindQuery({ orderBy: parseOrderBy(text), top }, hostile)),
          text,
        ).resolves.not.toThrow();
      }),
      parameters,
    );
  });
});
