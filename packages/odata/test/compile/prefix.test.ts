import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { leastBeyond } from "../../src/compile/prefix.ts";
import { compareValues } from "../../src/model/compare.ts";

describe("the least text beyond a prefix", () => {
  test.each([
    ["abc", "abd"],
    ["a\ud7ff", "a\ue000"],
    ["a\uffff", "a\u{10000}"],
    ["é😀", "é😁"],
    ["a\u{10ffff}\u{10ffff}", "b"],
    ["\u{10ffff}", undefined],
    ["", undefined],
  ])("%j: %j", (prefix, beyond) => {
    expect(leastBeyond(prefix)).toBe(beyond);
  });

  test("parts the texts that start with it from the rest", () => {
    const unit = fc.constantFrom("a", "b", "\ud7ff", "\ue000", "\uffff", "\u{10000}", "😀", "\u{10ffff}");
    const text = fc.string({ unit, maxLength: 4 });
    fc.assert(
      fc.property(text, fc.string({ unit, minLength: 1, maxLength: 3 }), (whole, prefix) => {
        const beyond = leastBeyond(prefix);
        const isWithin =
          compareValues(whole, prefix) >= 0 && (beyond === undefined || compareValues(whole, beyond) < 0);
        expect(isWithin).toBe(whole.startsWith(prefix));
      }),
      { numRuns: 2000 },
    );
  });
});
