import fc from "fast-check";
import { expect, test } from "vitest";
import { Medians } from "../../src/market/medians.ts";

const values = fc.oneof(
  fc.array(fc.integer({ min: -3, max: 3 }), { minLength: 1, maxLength: 300 }),
  fc.array(fc.integer({ min: 0, max: 100_000 }), { minLength: 1, maxLength: 2500, size: "max" }),
  fc.array(
    fc.maxSafeInteger().map((n) => Math.trunc(n / 100) + 0),
    { minLength: 60, maxLength: 400, size: "max" },
  ),
  // All but a few in one place, so that ranges are far from equal.
  fc
    .tuple(
      fc.array(fc.integer({ min: 500, max: 700 }), { minLength: 200, maxLength: 900, size: "max" }),
      fc.array(fc.integer({ min: 0, max: 10 ** 12 }), { maxLength: 5 }),
    )
    .map((parts) => parts.flat()),
);

test("a median is that of the sorted values, whatever they are and however many sets there are", () => {
  fc.assert(
    fc.property(fc.array(values, { minLength: 1, maxLength: 3 }), (sets) => {
      const medians = new Medians<number>();
      let walks = 0;
      do {
        walks++;
        for (const [key, set] of sets.entries()) for (const value of set) medians.see(key, value);
      } while (!medians.isKnown());
      expect(walks).toBeLessThan(12);
      for (const [key, set] of sets.entries()) {
        const sorted = set.toSorted((a, b) => a - b);
        const [lower = 0, upper = 0] = [sorted[Math.floor((set.length - 1) / 2)], sorted[set.length >> 1]];
        expect([medians.countOf(key), medians.doubledOf(key)]).toEqual([set.length, lower + upper]);
      }
      expect(medians.doubledOf(-1)).toBeUndefined();
    }),
    { numRuns: Number(process.env["CASES"] ?? 200) },
  );
});
