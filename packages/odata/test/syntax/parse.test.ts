import { describe, expect, test } from "vitest";
import { parseFast } from "../../src/syntax/fast/expression.ts";
import { expressionByGrammar } from "../../src/syntax/grammar/index.ts";
import {
  children,
  defaultLimits,
  parseFilter,
  printFilter,
  type SyntaxNode,
} from "../../src/syntax/index.ts";
import { accepted, refused } from "./cases.ts";
import { errorOf } from "./error-of.ts";
import { outline } from "./outline.ts";
import { spanless } from "./spanless.ts";

describe("an expression is read", () => {
  test.each(accepted)("%s is %s", (text, tree) => {
    expect(outline(parseFilter(text))).toBe(tree);
  });

  test.each(accepted)("%s is the same by the grammar as by the fast path", (text) => {
    const fast = parseFast(text, defaultLimits);
    if (fast !== undefined) expect(fast).toEqual(expressionByGrammar(text, defaultLimits));
  });

  test.each(accepted)("%s is printed and read again as the same tree", (text) => {
    const tree = parseFilter(text);
    expect(spanless(parseFilter(printFilter(tree)))).toEqual(spanless(tree));
  });

  test.each(accepted)("every part of %s lies within its whole", (text) => {
    const check = (node: SyntaxNode) => {
      expect(node.start).toBeLessThan(node.end);
      for (const child of children(node)) {
        expect(child.start).toBeGreaterThanOrEqual(node.start);
        expect(child.end).toBeLessThanOrEqual(node.end);
        check(child);
      }
    };
    check(parseFilter(text));
  });
});

describe("a fault is refused where it is", () => {
  test.each(refused)("%j is refused at %i: %s", (text, at, message) => {
    const error = errorOf(() => parseFilter(text));
    expect(error.span?.start).toBe(at);
    expect(error.message).toBe(message);
  });

  test.each(refused)("%j is never accepted by the fast path", (text) => {
    expect(parseFast(text, defaultLimits)).toBeUndefined();
  });
});

test("a U+0000 is refused wherever it stands", () => {
  for (const text of ["\0", "a eq '\0'", "a\0 eq 1", '["\0"] eq b', "a eq 1\0"]) {
    const error = errorOf(() => parseFilter(text));
    expect(error.code).toBe("syntax_error");
    expect(error.span?.start).toBe(text.indexOf("\0"));
  }
});

test.each(["NAME eq 1", "a/NAME eq 1", "NAME(a,b) eq 1", "a/any(NAME:true)", "Ns.NAME/a eq 1"])(
  "a name in %s has at most 128 characters",
  (text) => {
    const [fits, tooLong] = [128, 129].map((length) => text.replace("NAME", "n".repeat(length)));
    expect(parseFilter(fits as string).kind).toBeTypeOf("string");
    const error = errorOf(() => parseFilter(tooLong as string));
    expect([error.span?.start, error.details["expected"]]).toEqual([
      text.startsWith("Ns.") ? 0 : text.indexOf("NAME"),
      "a name",
    ]);
  },
);

test("an error repeats at most 40 characters of the query", () => {
  const found = (length: number) => errorOf(() => parseFilter(`a ${"b".repeat(length)}`)).details["found"];
  expect(found(40)).toBe(`\`${"b".repeat(40)}\``);
  expect(found(41)).toBe(`\`${"b".repeat(40)}…\``);
});
