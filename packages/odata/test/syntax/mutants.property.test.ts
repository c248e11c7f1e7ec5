import fc from "fast-check";
import { expect, test } from "vitest";
import { corpus } from "../../bench/corpus.ts";
import { QueryError } from "../../src/errors.ts";
import { parseFast } from "../../src/syntax/fast/expression.ts";
import {
  expandByGrammar,
  expressionByGrammar,
  orderByByGrammar,
  selectByGrammar,
} from "../../src/syntax/grammar/index.ts";
import {
  defaultLimits,
  parseExpand,
  parseFilter,
  parseOrderBy,
  parseSelect,
  printFilter,
} from "../../src/syntax/index.ts";
import { accepted, refused } from "./cases.ts";
import { spanless } from "./spanless.ts";

/** The tree of `text`, or the error it is refused with. Anything else that is thrown is a crash. */
function outcome<T>(parse: (text: string) => T, text: string) {
  try {
    return parse(text);
  } catch (error) {
    if (error instanceof QueryError) return { code: error.code, details: error.details };
    throw error;
  }
}

const texts = [
  ...Object.values(corpus).filter((text) => text.length < 400),
  ...accepted.map(([text]) => text),
];
const anyText = fc.constantFrom(...texts, ...refused.map(([text]) => text));
const letters = fc.constantFrom(..." \t'\"(),/:;=$@#.-+*&aeEnNoOrTzZ_0159[]{}é\0".split(""));

/** Ways to change a text at one place. */
const changes = {
  delete: (before: string, after: string) => before + after.slice(1),
  insert: (before: string, after: string, letter: string) => before + letter + after,
  replace: (before: string, after: string, letter: string) => before + letter + after.slice(1),
  swap: (before: string, after: string) => before + after.slice(1, 2) + after.slice(0, 1) + after.slice(2),
} as const;

const mutantOf = (original: fc.Arbitrary<string>) =>
  fc
    .tuple(original, fc.nat(), letters, fc.constantFrom(...Object.values(changes)))
    .map(([text, seed, letter, change]) => {
      const at = text.length === 0 ? 0 : seed % text.length;
      return change(text.slice(0, at), text.slice(at), letter);
    });

const mutant = mutantOf(anyText);

const item = fc.constantFrom("City", "ListPrice", "a/b", "length(City)", "(a)", "*", "Ns.Type/a", "@a.b");
const direction = fc.constantFrom("", "", " asc", " desc", "  DESC", "\tAsc ");
const mutantOfList = mutantOf(
  fc
    .array(fc.tuple(item, direction, fc.constantFrom(",", ", ", " ,", ",  ")), {
      minLength: 1,
      maxLength: 10,
    })
    .map((items) =>
      items
        .map((parts) => parts.join(""))
        .join("")
        .replace(/[ ,]+$/, ""),
    ),
);

const runs = Number(process.env["CASES"] ?? 3000);

test("a mutant is read alike by the fast path and by the grammar", () => {
  fc.assert(
    fc.property(mutant, (text) => {
      const fast = outcome((source) => parseFast(source, defaultLimits), text);
      if (fast === undefined || text.includes("\0")) return;
      expect(
        outcome((source) => expressionByGrammar(source, defaultLimits), text),
        text,
      ).toEqual(fast);
    }),
    { numRuns: runs },
  );
});

const lists = {
  $orderby: [parseOrderBy, orderByByGrammar],
  $select: [parseSelect, selectByGrammar],
  $expand: [parseExpand, expandByGrammar],
} as const;

test.each(Object.entries(lists))("a mutant of a list in %s is read alike", (_, [parse, byGrammar]) => {
  fc.assert(
    fc.property(mutantOfList, (text) => {
      const expected = outcome((source) => byGrammar(source, defaultLimits), text);
      expect(
        outcome((source) => parse(source), text),
        text,
      ).toEqual(expected);
    }),
    { numRuns: runs },
  );
});

test("a mutant that is read is printed and read again as the same tree", () => {
  fc.assert(
    fc.property(mutant, (text) => {
      const tree = outcome(parseFilter, text);
      if (tree === undefined || "code" in tree) return;
      expect(spanless(parseFilter(printFilter(tree))), printFilter(tree)).toEqual(spanless(tree));
    }),
    { numRuns: runs },
  );
});

/** What may change in a text without a change of its meaning: white space, letter case, spellings of a number. */
const indifferent = (text: string): string =>
  text.replace(/'[^']*'|[ \t()]+/g, (part) => (part.startsWith("'") ? part : "")).toLowerCase();

test("a filter with one character deleted is refused or means something else", () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...Object.values(corpus).filter((text) => text.length < 400)),
      fc.nat(),
      (text, seed) => {
        const at = seed % text.length;
        const changed = text.slice(0, at) + text.slice(at + 1);
        const tree = outcome(parseFilter, changed);
        if (tree === undefined || "code" in tree || indifferent(changed) === indifferent(text)) return;
        expect(printFilter(tree), changed).not.toBe(printFilter(parseFilter(text)));
      },
    ),
    { numRuns: runs },
  );
});

test("any text at all is read or refused", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 60 }), (text) => {
      outcome(parseFilter, text);
    }),
    { numRuns: runs },
  );
});
