import { matches } from "@cadastre/odata";
import fc from "fast-check";
import { expect, test } from "vitest";
import { countRangeOf, isSameRange, rangesWithout } from "../src/read/count-range.ts";
import { tableOf } from "../src/schema/table.ts";
import { ask, stored, texas } from "./support/listings.ts";

const price = fc.integer({ min: 0, max: 6 });
const low = fc.tuple(fc.constantFrom("ge", "gt"), price);
const high = fc.tuple(fc.constantFrom("le", "lt"), price);
const pairOf = <T>(one: fc.Arbitrary<T>) => fc.tuple(one, one);
const pairs = fc.oneof(pairOf(fc.tuple(low)), pairOf(fc.tuple(high)), pairOf(fc.tuple(low, high)));

const table = tableOf(stored);
const rangeOf = (bounds: readonly (readonly [string, number])[]) => {
  const filter = bounds.map(([is, than]) => `ListPrice ${is} ${than}`).join(" and ");
  return { filter: ask({ filter }).filter, range: countRangeOf(ask({ filter }), table) };
};

const rows = [null, 0, 0.5, 1, 1.5, 2, 3, 4, 4.5, 5, 6, 7].map((ListPrice) => ({
  DatasetId: texas,
  ListPrice,
}));

test("a range is another one with the rows that only it has, without those that only the other one has", () => {
  fc.assert(
    fc.property(pairs, ([first, second]) => {
      const [a, b] = [rangeOf(first), rangeOf(second)];
      expect(a.range.shape).toBe(b.range.shape);
      const without = (one: typeof a, other: typeof b) => rangesWithout(one.range, other.range);
      for (const row of rows) {
        const isIn = (filter: typeof a.filter) => Number(matches(filter, row));
        const sum = (filters: readonly (typeof a.filter)[]) =>
          filters.reduce((total, filter) => total + isIn(filter), 0);
        expect(isIn(b.filter) + sum(without(a, b)) - sum(without(b, a))).toBe(isIn(a.filter));
        expect(sum(without(a, b))).toBeLessThanOrEqual(1);
      }
      if (isSameRange(a.range, b.range)) expect(without(a, b)).toEqual([]);
    }),
  );
});
