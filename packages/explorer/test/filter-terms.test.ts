import { describe, expect, test } from "vitest";
import { filterOf, termsOf, withoutTerm, withTerm } from "../src/query/filter-terms.ts";

describe("the terms of a filter", () => {
  test.each([
    ["", []],
    ["a eq 1", ["a eq 1"]],
    ["a eq 1 and b eq 2", ["a eq 1", "b eq 2"]],
    ["a eq 'x and y' and b eq 'O''Fallon and'", ["a eq 'x and y'", "b eq 'O''Fallon and'"]],
    ["(a eq 1 and b eq 2) and c eq 3", ["(a eq 1 and b eq 2)", "c eq 3"]],
    ["a eq 1 or b eq 2 and c eq 3", ["a eq 1 or b eq 2 and c eq 3"]],
    ["a/any(x:x eq 1 and x ne 2) and b", ["a/any(x:x eq 1 and x ne 2)", "b"]],
    ["a eq 'never closed and b", ["a eq 'never closed and b"]],
  ])("of %j are %j", (filter, terms) => {
    expect(termsOf(filter)).toEqual(terms);
  });

  test("with `or` get parentheses beside others", () => {
    expect(filterOf(["a eq 1 or b eq 2", "c eq 3"])).toBe("(a eq 1 or b eq 2) and c eq 3");
    expect(filterOf(["a eq 1 or b eq 2"])).toBe("a eq 1 or b eq 2");
  });

  test("a value replaces another one of the same field", () => {
    expect(withTerm("City eq 'York' and Beds ge 2", "City eq 'Austin'")).toBe(
      "Beds ge 2 and City eq 'Austin'",
    );
    expect(withTerm("Beds ge 2", "Beds ge 2")).toBe("Beds ge 2");
  });

  test("a term can be taken away", () => {
    expect(withoutTerm("a eq 1 and b eq 2", "a eq 1")).toBe("b eq 2");
  });
});
