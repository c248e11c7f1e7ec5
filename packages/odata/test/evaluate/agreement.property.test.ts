import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import {
  type BoundNode,
  type BoundQuery,
  bindExpression,
  bindFilter,
  bindQuery,
  compareRows,
  matches,
  parseFilter,
  parseOrderBy,
} from "../../src/index.ts";
import { hasPostgres } from "../../src/testing/postgres.ts";
import { callNode, pointNode } from "../../src/tree/index.ts";
import { filterTexts, orderByTexts } from "../support/arbitraries.ts";
import { listing, rows } from "../support/listing.ts";
import { openPostgresListings } from "../support/postgres-listings.ts";
import { rewrittenFilters } from "../support/rewritten-filters.ts";
import { openListings } from "../support/sqlite.ts";

/** A database that holds the rows. */
type Engine = {
  readonly keys: (query: BoundQuery) => Promise<readonly unknown[]>;
  readonly page: (query: BoundQuery) => Promise<readonly (readonly unknown[])[]>;
  readonly count: (query: BoundQuery) => Promise<unknown>;
};

const engineOf = (database: ReturnType<typeof openListings>): Engine => ({
  keys: async (query) => database.keys(query),
  page: async (query) => database.page(query),
  count: async (query) => database.count(query),
});
const sqlite = openListings();
const coded = openListings({ isCoded: true });
const postgres = hasPostgres ? await openPostgresListings() : undefined;
if (postgres === undefined) console.warn("PostgreSQL is left out: no server is installed");

const engines: Readonly<Record<string, Engine | undefined>> = {
  SQLite: engineOf(sqlite),
  "SQLite with a column of codes": engineOf(coded),
  PostgreSQL: postgres,
};

afterAll(async () => {
  sqlite.close();
  coded.close();
  await postgres?.close();
});

/** `CASES=5000` for more, `SEED=1` for the same ones again. */
const { CASES, SEED } = process.env;
const numRuns = Number(CASES ?? 25);
const parameters = SEED === undefined ? { numRuns } : { numRuns, seed: Number(SEED) };
const options = { timeout: 120_000 + numRuns * 200 };

const key = "ListingKey";

describe.each(Object.entries(engines))("%s agrees with memory", (_, engine) => {
  if (engine === undefined) return test.skip("no server is installed");

  test.each([
    "Appliances/all(a:not contains(a,'v'))",
    "hour(cast(City,Edm.DateTimeOffset)) eq 22",
    "time(ModificationTimestamp) eq time(cast(City,Edm.DateTimeOffset))",
    "totaloffsetminutes(cast(City,Edm.DateTimeOffset)) eq 0",
    // A year of some 400 digits where the city is 1e400.
    "cast(concat(cast(cast(City,Edm.Decimal),Edm.String),'2024-01-15T08:30:00Z'),Edm.DateTimeOffset) eq null",
    "not Appliances/any(a:not contains(City,a))",
    "Appliances/any(a:a eq 'Oven' and Id eq null)",
    "Appliances/any()",
    "City eq 'York'",
    "not (City eq 'York')",
    "City ne 'York'",
    "not (City in ('York','Nowhere',null))",
    "City eq null",
    "Appliances/any(a:City eq 'York')",
    "Appliances/all(a:contains(a,''))",
    "not Appliances/all(a:contains(a,''))",
    "BedroomsTotal in Counts",
    "-INF le BedroomsTotal",
    "BedroomsTotal gt -1e30",
    "BedroomsTotal lt -1e30",
    "Score eq 1e23",
    "cast(Score,Edm.String) eq '1e+23'",
    "Ratio eq 0.1",
    "Ratio gt 0.1",
    "hassubset(Counts,[2,2])",
    "case(WaterfrontYN:null) eq 5",
    "contains(null,City) eq null",
    "ModificationTimestamp add Stay gt 2024-02-29T12:00:00.5Z",
    "CloseDate gt 9999999-12-31 or CloseDate lt -99999-01-01",
    "CloseDate ge -99999-01-01",
    "case(CloseDate ne null:99999-12-31) eq 9999-12-31",
    "case(CloseDate ne null:99999-12-31) eq null",
    "case(City ne null:99999-12-31T00:00:00Z) gt ModificationTimestamp",
    "CloseDate sub 99999-01-01 lt duration'-P9999D'",
    "hassubset(Counts,[9223372036854775807])",
    "startswith([1e3],substring([1e3],Stories)) eq null",
    "length(substring(Counts,Stories)) eq null",
    "floor(NaN) eq null",
    "99999-01-01 eq null",
    "99999-01-01 in (99999-01-01)",
    "case(City ne null:NaN) eq null",
    "indexof(Counts,[9223372036854775806]) ge 0",
    "Any.Property/City eq 'York'",
    "Any.Property/Appliances/any(a:a eq Any.Property/type)",
    "Counts eq [1,2,3]",
    "Counts ne [2,2]",
    "Counts eq [9223372036854775807,null,-1]",
    'Appliances eq ["Oven",null]',
    "Sizes eq []",
    "Sizes eq [0.1,null,1e21,-3]",
    'Visits eq ["0001-01-01T00:00:00.000Z","2024-02-29T12:00:00.000Z"]',
    "not (substring(Counts,Stories) eq [])",
    "substring(Counts,Stories) ne []",
    "View gt 'Lake'",
    "View ge '5'",
    "View le Demo.Views'City'",
    "not (View lt 'City')",
    "View eq '4'",
    "View has '0'",
    "Stay in ('PT36H','-PT36H')",
    "cast('1z',Edm.Binary) eq null",
    "cast(City,Edm.Binary) eq null",
    "endswith(substring(concat(Counts,[9223372036854775807]),1),[9223372036854775807])",
  ])("on the rows of %s", async (text) => {
    const query = bindQuery({ filter: parseFilter(text), top: 100 }, listing);
    const expected = rows.filter((row) => matches(query.filter, row)).map((row) => row[key]);
    expect(await engine.keys(query)).toEqual(expected);
  });

  test("on the rows of every filter, and their number", options, async () => {
    await fc.assert(
      fc.asyncProperty(filterTexts, fc.boolean(), async (text, ignoreCase) => {
        const query = bindQuery({ filter: parseFilter(text), top: 100 }, listing, [], { ignoreCase });
        const expected = rows.filter((row) => matches(query.filter, row)).map((row) => row[key]);
        expect(await engine.keys(query), text).toEqual(expected);
        expect(await engine.count(query), text).toBe(expected.length);
      }),
      parameters,
    );
  });

  test(
    "on the rows of every filter with aliases and casts, which mean what they stand for",
    options,
    async () => {
      await fc.assert(
        fc.asyncProperty(rewrittenFilters, fc.boolean(), async ({ plain, text, aliases }, ignoreCase) => {
          const bound = bindFilter(parseFilter(plain), listing, { ignoreCase });
          const expected = rows.filter((row) => matches(bound, row)).map((row) => row[key]);
          const values = Object.entries(aliases).map(([name, value]) => [name, parseFilter(value)] as const);
          const options = { ignoreCase, aliases: Object.fromEntries(values) };
          const query = bindQuery({ filter: parseFilter(text), top: 100 }, listing, [], options);
          const shown = `${text} & ${JSON.stringify(aliases)}`;
          expect(await engine.keys(query), shown).toEqual(expected);
          expect(await engine.count(query), shown).toBe(expected.length);
        }),
        parameters,
      );
    },
  );

  test.each([null, 0, 1e5, 1e7])(
    "on the places at two numbers, and those within %j metres",
    async (metres) => {
      const columns = ["Score", "LivingArea"].map((name) => bindExpression(parseFilter(name), listing));
      const [longitude, latitude] = columns as [BoundNode, BoundNode];
      const distance = callNode("geo.distance", pointNode(longitude, latitude), {
        kind: "Constant",
        type: "Edm.GeographyPoint",
        value: { type: "Point", coordinates: [0, 0] },
      });
      const limit = {
        kind: "Constant",
        type: metres === null ? "Null" : "Edm.Double",
        value: metres,
      } as const;
      const comparator = metres === null ? "eq" : "le";
      const query = {
        ...bindQuery({ top: 100 }, listing),
        filter: { kind: "Compare", type: "Edm.Boolean", comparator, left: distance, right: limit } as const,
      };
      const expected = rows.filter((row) => matches(query.filter, row)).map((row) => row[key]);
      expect(await engine.keys(query)).toEqual(expected);
    },
  );

  test("on the order of every `$orderby`", options, async () => {
    await fc.assert(
      fc.asyncProperty(orderByTexts, async (text) => {
        const query = bindQuery({ orderBy: parseOrderBy(text), top: 100 }, listing);
        const expected = rows.toSorted((a, b) => compareRows(query.orderBy, a, b)).map((row) => row[key]);
        expect(await engine.keys(query), text).toEqual(expected);
      }),
      parameters,
    );
  });

  test("on pages joined together, whatever the order and the size", options, async () => {
    await fc.assert(
      fc.asyncProperty(orderByTexts, fc.integer({ min: 1, max: 4 }), async (text, top) => {
        const orderBy = parseOrderBy(text);
        const clock = { now: () => ({ picoseconds: 1_700_000_000_000n * 1_000_000_000n, offset: 0 }) };
        const whole = bindQuery({ orderBy, top: 100 }, listing, [], clock);
        const expected = rows.toSorted((a, b) => compareRows(whole.orderBy, a, b)).map((row) => row[key]);
        const walked: unknown[] = [];
        let after: readonly unknown[] | null = null;
        for (;;) {
          const query = bindQuery({ orderBy, top, after }, listing, [], clock);
          const page = await engine.page({ ...query, select: query.select.slice(0, 1) });
          walked.push(...page.map(([one]) => one));
          if (page.length < top || walked.length > rows.length) break;
          after = page.at(-1)?.slice(1) ?? null;
        }
        expect(walked, text).toEqual(expected);
      }),
      parameters,
    );
  });
});
