import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { bindQuery, compareRows, matches, parseFilter, parseOrderBy } from "../../src/index.ts";
import { filterTexts, orderByTexts } from "../support/arbitraries.ts";
import { listing, rows } from "../support/listing.ts";
import { openListings } from "../support/sqlite.ts";

const sqlite = openListings();
afterAll(() => sqlite.close());

describe("SQLite agrees with memory", () => {
  test("on the rows of every filter, and their number", () => {
    fc.assert(
      fc.property(filterTexts, (text) => {
        const query = bindQuery({ filter: parseFilter(text), top: 100 }, listing);
        const expected = rows.filter((row) => matches(query.filter, row)).map((row) => row["ListingKey"]);
        expect(sqlite.keys(query), text).toEqual(expected);
        expect(sqlite.count(query), text).toBe(expected.length);
      }),
      { numRuns: 1000 },
    );
  });

  test("on the order of every `$orderby`", () => {
    fc.assert(
      fc.property(orderByTexts, (text) => {
        const query = bindQuery({ orderBy: parseOrderBy(text), top: 100 }, listing);
        const expected = rows
          .toSorted((a, b) => compareRows(query.orderBy, a, b))
          .map((row) => row["ListingKey"]);
        expect(sqlite.keys(query), text).toEqual(expected);
      }),
    );
  });
});

describe("pages", () => {
  test("joined together are the whole, whatever the order and the size", () => {
    fc.assert(
      fc.property(orderByTexts, fc.integer({ min: 1, max: 4 }), (text, top) => {
        const orderBy = parseOrderBy(text);
        const whole = sqlite.keys(bindQuery({ orderBy, top: 100 }, listing));
        const walked: unknown[] = [];
        let after: readonly unknown[] | null = null;
        for (;;) {
          const query = bindQuery({ orderBy, top, after }, listing);
          const page = sqlite.page({ ...query, select: query.select.slice(0, 1) });
          walked.push(...page.map(([key]) => key));
          if (page.length < top) break;
          after = page.at(-1)?.slice(1) ?? null;
        }
        expect(walked, text).toEqual(whole);
      }),
    );
  });
});
