import fc from "fast-check";
import { expect, test } from "vitest";
import { defaultLimits, parseFilter, printFilter } from "../../src/syntax/index.ts";
import { syntaxTrees } from "../support/syntax-trees.ts";
import { spanless } from "./spanless.ts";

const numRuns = Number(process.env["CASES"] ?? 2000);

const limits = { ...defaultLimits, lambdaDepth: 100, nesting: 500, nodes: 100_000 };

/** `CASES=100000` for more. */
test("a printed tree is read again as the same tree", { timeout: 120_000 + numRuns * 5 }, () => {
  fc.assert(
    fc.property(syntaxTrees, (tree) => {
      const text = printFilter(tree);
      expect(spanless(parseFilter(text, limits)), text).toEqual(spanless(tree));
    }),
    { numRuns },
  );
});

test.each([
  "case((Count eq 10):15,true:20)",
  "case(Count eq 110:15,true:20)",
  "case(Count eq -10:15,Count eq 10:152)",
  "case((08:30):9007,true:1)",
])("%s is canonical", (text) => {
  expect(printFilter(parseFilter(text))).toBe(text);
});
