import { describe, expect, test } from "vitest";
import { bindFilter, bindOrderBy, evaluate, parseFilter, parseOrderBy } from "../../src/index.ts";
import { house, houses } from "../support/house.ts";

const value = (text: string, ignoreCase: boolean): unknown =>
  evaluate(bindFilter(parseFilter(text), houses, { ignoreCase }), house);

describe("`$ignorecase` has", () => {
  test.each([
    ["Style eq 'RANCH'", true],
    ["'rANCH' eq Style", true],
    ["Style ne 'RANCH'", false],
    ["Style in ('modern','RANCH')", true],
    ["Style in ('MODERN',null)", false],
    ["'A' in Tags", true],
    ["[Style,Small] in [['RANCH',200]]", true],
    ["contains(Style,'ANC')", true],
    ["startswith(Style,'rA')", true],
    ["endswith(Style,'CH')", true],
    ["Tags/any(t:t eq 'B')", true],
    ["Tags/any(t:startswith('BAG',t))", true],
    ["Rooms/any(r:r/RoomType eq 'KITCHEN')", true],
    ["Rooms/$count($filter=RoomType eq 'BEDROOM') eq 2", true],
    ["contains(concat('ΟΔΌΣ ',Style),'οδός r')", true],
    ["Style eq tolower('RANCH')", true],
    ["case(Style eq 'RANCH':1,true:2) eq 1", true],
    ["Name eq null", true],
    ["Name ne 'X'", true],
    ["contains(Name,'X')", null],
    ["Key gt 'K1'", true],
    ["Key lt 'K2'", false],
    ["indexof(Style,'A') eq 1", false],
    ["matchesPattern(Style,'^RANCH$')", false],
    ["Views has Demo.Views'City'", true],
    ['startswith(Tags,["A"])', false],
    ["Small eq 200", true],
  ])("%s as %j", (text, expected) => {
    expect(value(text, true)).toBe(expected);
  });

  test.each(["Key eq 'K1'", "'A' in Tags", "contains(Style,'ANC')", "Tags/any(t:t eq 'B')"])(
    "no part in %s unless it is asked for",
    (text) => {
      expect(value(text, false)).toBe(false);
    },
  );

  test("no part in `$orderby`", () => {
    const items = parseOrderBy("contains(Style,'ANC')");
    expect(bindOrderBy(items, houses, { ignoreCase: true })).toEqual(bindOrderBy(items, houses));
  });
});
