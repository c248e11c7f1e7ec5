import { describe, expect, test } from "vitest";
import { bindExpression, bindFilter, evaluate, parseFilter } from "../../src/index.ts";
import { house, houses } from "../support/house.ts";

describe("a constant for which a function has no value is refused, with its place", () => {
  test.each([
    [
      "substring(Key,1,-1) eq 'x'",
      "wrong_arguments",
      16,
      18,
      "`substring` expects a length of 0 or more, got (-1)",
    ],
    [
      "substring(Tags,0,-2) eq null",
      "wrong_arguments",
      17,
      19,
      "`substring` expects a length of 0 or more, got (-2)",
    ],
    ["isof($it,Demo.Nothing)", "unknown_type", 9, 21, "unknown type `Demo.Nothing`"],
    ["isof(ListOffice,Demo.Nothing)", "unknown_type", 16, 28, "unknown type `Demo.Nothing`"],
    ["isof(Edm.Nothing)", "unknown_type", 5, 16, "unknown type `Edm.Nothing`"],
  ])("%s", (text, code, start, end, message) => {
    expect(() => bindFilter(parseFilter(text), houses)).toThrow(
      expect.objectContaining({ code, span: { start, end }, message }),
    );
  });
});

describe("a type that exists is no error", () => {
  test.each([
    ["isof($it,Demo.House)", true],
    ["isof($it,Demo.Room)", false],
    ["isof(ListOffice,Demo.Office)", true],
    ["isof(ListOffice,Edm.String)", false],
    ["cast('1z',Edm.Binary) eq null", true],
    ["cast('Zg==',Edm.Binary) eq binary'Zg'", true],
    ["substring(Key,1,0 sub 1) eq null", true],
  ])("%s is %s", (text, value) => {
    expect(evaluate(bindExpression(parseFilter(text), houses), house)).toBe(value);
  });
});
