import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import {
  bindQuery,
  cachedCompiler,
  compareRows,
  type EntitySet,
  type Mapping,
  matches,
  type PrimitiveType,
  parseFilter,
  parseOrderBy,
  parseSelect,
  type Row,
  tableMapping,
} from "../../src/index.ts";
import { openDatabases } from "../support/databases.ts";

const property = (name: string, type: PrimitiveType, nullable = true) =>
  [name, { name, type, collection: false, nullable }] as const;

const tied: EntitySet = {
  name: "Tied",
  type: {
    name: "Tied",
    key: ["Id"],
    properties: new Map([
      property("Id", "Edm.Int32", false),
      property("Town", "Edm.String"),
      property("Price", "Edm.Int64"),
      property("Area", "Edm.Double"),
      property("Closed", "Edm.Date"),
      property("Changed", "Edm.DateTimeOffset", false),
      property("Rank", "Edm.Int32", false),
    ]),
  },
};

const pick = <T>(i: number, values: readonly T[]): T => values[i % values.length] as T;

/** Few values of each, so that many rows are alike in several of them. */
const rows: readonly Row[] = Array.from({ length: 120 }, (_, i) => {
  const spread = (i * 7919) % 1009;
  return {
    Id: (i * 37) % 120,
    Town: pick(spread, [null, "", "York", "O'Fallon", "😀"]),
    Price: pick(spread >> 1, [null, null, -1, 5]),
    Area: pick(spread >> 2, [0.5, null, -2.25]),
    Closed: pick(spread >> 3, [null, "2024-02-29", "0001-01-01"]),
    Changed: pick(spread >> 1, ["2024-01-01T00:00:00.001Z", "2024-01-01T00:00:00Z"]),
    Rank: spread % 3,
  };
});

const item = fc
  .tuple(
    fc.constantFrom(
      "Town",
      "Price",
      "Area",
      "Closed",
      "Changed",
      "Rank",
      "length(Town)",
      "Price mul Rank",
      "year(Closed)",
      "Town eq null",
    ),
    fc.constantFrom("", " desc"),
  )
  .map(([expression, direction]) => `${expression}${direction}`);

const asked = fc.record({
  orderBy: fc.array(item, { maxLength: 6 }).map((items) => parseOrderBy([...items, "Rank"].join())),
  filter: fc
    .constantFrom(
      "true",
      "Rank ne 1",
      "Price eq null or Town ge 'P'",
      "Rank in (2,0)",
      "Rank in (0,1,2) and Town ne null",
      "Price ne 5 and (Rank in (1,2) and Town lt 'Y')",
    )
    .map((text) => parseFilter(text)),
  top: fc.integer({ min: 1, max: 50 }),
  skip: fc.constantFrom(0, 0, 3),
  /** Which row the page comes after. */
  at: fc.nat(),
});

const databases = await openDatabases();
for (const { fill } of databases) await fill(tied, rows);
afterAll(() => Promise.all(databases.map((database) => database.close())));

describe.each(databases)("on $dialect.name", ({ dialect, run }) => {
  const table = tableMapping(tied.name);
  const rank = tied.type.properties.get("Rank");
  const mappings: readonly Mapping[] = [
    { ...table, ranges: true },
    { ...table, ranges: false },
    table,
    ...(rank === undefined ? [] : [true, false].map((ranges) => ({ ...table, ranges, dividedBy: rank }))),
  ];
  const compilers = mappings.map((mapping) => cachedCompiler(dialect, mapping, { order: true }));

  test("a page after any row is what follows it in the order, read in ranges, in one scan, or for each value", async () => {
    await fc.assert(
      fc.asyncProperty(asked, async ({ at, skip, top, ...parts }) => {
        const query = bindQuery({ ...parts, select: parseSelect("Id"), top: rows.length }, tied);
        const expected = rows
          .filter((row) => matches(query.filter, row))
          .toSorted((a, b) => compareRows(query.orderBy, a, b))
          .map(({ Id }) => Id);
        const place = at % expected.length;
        for (const { page } of compilers) {
          const all = await run(page(query));
          expect(all.map(([id]) => Number(id))).toEqual(expected);
          const after = all[place]?.slice(1, 1 + query.orderBy.length) ?? null;
          const found = await run(page({ ...query, after, skip, top }));
          const start = place + 1 + skip;
          expect(found.map(([id]) => Number(id))).toEqual(expected.slice(start, start + top));
        }
      }),
      { numRuns: Number(process.env["CASES"] ?? 20) },
    );
  }, 60_000);
});
