import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { bindFilter, cachedFilterBinder, matches, parseFilter, QueryError } from "../../src/index.ts";
import { filterTexts } from "../support/arbitraries.ts";
import { listing } from "../support/listing.ts";

describe("a cached filter binder", () => {
  test("gives the tree that parsing and binding give, the first time and every other", () => {
    const bind = cachedFilterBinder(listing);
    fc.assert(
      fc.property(filterTexts, (text) => {
        const tree = bindFilter(parseFilter(text), listing);
        expect(bind(text)).toEqual(tree);
        expect(bind(text)).toEqual(tree);
      }),
      { numRuns: 1000 },
    );
  });

  test.each([
    ["ListPrice gt 1", "ListPrice gt 99999999999"],
    ["ListPrice gt 1", "ListPrice gt 1.5"],
    ["City eq 'a'", "City eq 'b''c'"],
    ["City eq 'a'", "City eq ''"],
    ["City in ('a','b')", "City in ('c',null)"],
    ["5 lt ListPrice and City eq 'x'", "6 lt ListPrice and City eq 'y'"],
    ["CloseDate eq 2024-01-01", "CloseDate eq 2023-12-31"],
    ["Appliances/any(a:a eq 'x')", "Appliances/any(a:a eq 'y')"],
    ["matchesPattern(City,'a')", "matchesPattern(City,'b')"],
    ["StandardStatus has 'a'", "StandardStatus has 'b'"],
    ["case(City eq 'a':1,City eq 'b':2) eq 3", "case(City eq 'c':4,City eq 'd':5) eq 6"],
  ])("knows %s from %s", (first, second) => {
    const bind = cachedFilterBinder(listing);
    bind(first);
    expect(bind(second)).toEqual(bindFilter(parseFilter(second), listing));
  });

  test("ignores case where it was told to, with every literal", () => {
    const bind = cachedFilterBinder(listing, { ignoreCase: true });
    fc.assert(
      fc.property(filterTexts, (text) => {
        const tree = bindFilter(parseFilter(text), listing, { ignoreCase: true });
        expect(bind(text)).toEqual(tree);
        expect(bind(text)).toEqual(tree);
      }),
      { numRuns: 300 },
    );
    bind("City eq 'york'");
    expect(matches(bind("City eq 'LINZ'"), { City: "Linz" })).toBe(true);
  });

  test.each([
    ["ListPrice gt 1", "ListPrice gt 'a'"],
    ["CloseDate eq 2024-01-01", "CloseDate eq 2023-02-30"],
    ["City eq 'a'", "City eq 5"],
    ["City eq 'a'", "Cty eq 'a'"],
    ["matchesPattern(City,'a')", "matchesPattern(City,'(')"],
  ])("refuses after %s as before it: %s", (good, bad) => {
    const bind = cachedFilterBinder(listing);
    bind(good);
    expect(() => bind(bad)).toThrowError(QueryError);
  });

  test("forgets the oldest shape at its capacity, and stays right", () => {
    const bind = cachedFilterBinder(listing, { capacity: 1 });
    for (const text of ["City eq 'a'", "ListPrice gt 1", "City eq 'b'"]) {
      expect(bind(text)).toEqual(bindFilter(parseFilter(text), listing));
    }
  });
});
