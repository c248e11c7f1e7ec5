import { describe, expect, test } from "vitest";
import { bindExpression, bindFilter, evaluate, parseFilter } from "../../src/index.ts";
import { parseExpression } from "../../src/tree/index.ts";
import { house, houses } from "../support/house.ts";

const aliases = { "@tags": parseExpression('["a","b"]') };

describe("collections are equal if their items are, in the same order", () => {
  test.each([
    ["Sizes eq [1,2,3]", true],
    ["Sizes eq [1.0,2,3]", true],
    ["Sizes eq [3,2,1]", false],
    ["Sizes eq [1,2]", false],
    ["Sizes ne [1,2]", true],
    ["Sizes ne [1,2,3]", false],
    ['["a","b"] eq Tags', true],
    ['["a"] eq Tags', false],
    ['Tags eq ["a","b",null]', false],
    ["Tags eq @tags", true],
    ["[] eq Tags", false],
    ["Tags eq Tags", true],
    ['substring(Tags,1) eq ["b"]', true],
    ["not (Sizes eq [1,2,3])", false],
    ["Rooms/any(r:r/Features eq [])", true],
    ['Rooms/any(r:r/Features eq ["Fan"])', true],
    ["[1,2] eq [1,2]", true],
  ])("%s is %s", (text, value) => {
    expect(evaluate(bindExpression(parseFilter(text), houses, { aliases }), house)).toBe(value);
  });

  test.each([
    ["Sizes eq ['a']", "`eq` cannot be applied to Collection(Edm.Int64) and Collection(Edm.String)"],
    ["Sizes gt [1]", "`gt` cannot be applied to Collection(Edm.Int64) and Collection(Edm.Int32)"],
    ["Sizes eq 1", "`eq` cannot be applied to Collection(Edm.Int64) and Edm.Int32"],
    ["Sizes eq null", "`eq` cannot be applied to Collection(Edm.Int64) and Null"],
    ["Rooms eq Rooms", "`eq` cannot be applied to Collection(Room) and Collection(Room)"],
  ])("%s is refused", (text, message) => {
    expect(() => bindFilter(parseFilter(text), houses)).toThrow(
      expect.objectContaining({ code: "type_mismatch", message }),
    );
  });
});
