import { describe, expect, test } from "vitest";
import {
  bindExpression,
  bindFilter,
  bindQuery,
  compareRows,
  type EntitySet,
  evaluate,
  parseFilter,
  parseOrderBy,
} from "../../src/index.ts";
import { parseExpression } from "../../src/tree/index.ts";
import { house, houses } from "../support/house.ts";

const styles = { name: "Demo.Style", members: ["Ranch", "Colonial", "Modern"], isFlags: false };

/** The houses, with a single, and with a collection of enumeration values. */
const set: EntitySet = {
  ...houses,
  type: {
    ...houses.type,
    properties: new Map([
      ...houses.type.properties,
      ["Ratio", { name: "Ratio", type: "Edm.Single", collection: false, nullable: true }],
      ["Former", { name: "Former", type: "Edm.String", collection: true, nullable: false, enumType: styles }],
    ]),
  },
};
const row = { ...house, Ratio: 1.1, Former: ["Modern", "Ranch"] };

const aliases = {
  "@style": parseExpression("'Ranch'"),
  "@typed": parseExpression("Demo.Style'Ranch'"),
  "@styles": parseExpression('["Modern","Ranch"]'),
  "@stay": parseExpression("'PT36H'"),
  "@wrong": parseExpression("'Rnch'"),
  "@again": parseExpression("@style"),
};

describe("a text beside an enumeration names its members", () => {
  test.each([
    ["Views eq 'City,Lake'", true],
    ["Views eq 'Lake, City'", true],
    ["'Lake,City' eq Views", true],
    ["Views ne 'Lake'", true],
    ["Views eq '5'", true],
    ["Views eq Demo.Views'5'", true],
    ["Views eq Demo.Views'Lake,4'", true],
    ["Views eq '4,Lake'", true],
    ["Views has 'City'", true],
    ["Views has '4'", true],
    ["Views has '5'", true],
    ["Views has 'Mountain'", false],
    ["Views has '0'", true],
    ["Views in ('Lake','City,Lake')", true],
    ['Views in ["Lake","City,Lake"]', true],
    ["Style eq '0'", true],
    ["Style eq Demo.Style'0'", true],
    ["Style in ('Modern','Ranch')", true],
    ["Style in @styles", true],
    ["Style eq @style", true],
    ["@style eq Style", true],
    ["Style eq @typed", true],
    ["Style eq @again", true],
    ["Style in (Demo.Style'Modern','Ranch')", true],
    ['["Ranch",1] in [[Style,1]]', true],
    ["Former/any(f:f eq 'Modern')", true],
    ["Former/any(f:f eq '1')", false],
    ["'Modern' in Former", true],
    ["'2' in Former", true],
    ["Former/$count($filter=$this eq 'Ranch') eq 1", true],
    ["case(Open:Style) eq '0'", true],
    ["isof(Style,Demo.Style)", true],
  ])("%s is %s", (text, value) => {
    expect(evaluate(bindExpression(parseFilter(text), set, { aliases }), row)).toBe(value);
  });

  test.each([
    [
      "Style eq 'Rnch'",
      9,
      15,
      "`Rnch` is not a valid Demo.Style: it has no member `Rnch`, did you mean `Ranch`?",
    ],
    [
      "Style in ('Ranch','Castle')",
      18,
      26,
      "`Castle` is not a valid Demo.Style: it has no member `Castle`, but `Ranch`, `Colonial`, `Modern`",
    ],
    [
      "Style eq 'Ranch,Modern'",
      9,
      23,
      "`Ranch,Modern` is not a valid Demo.Style: it is one value, not several with commas between them",
    ],
    ["Style eq '7'", 9, 12, "`7` is not a valid Demo.Style: no member has the number 7"],
    ["Views has '8'", 10, 13, "`8` is not a valid Demo.Views: its members do not add up to 8"],
    ["Views eq 'Lake,-1'", 9, 18, "`Lake,-1` is not a valid Demo.Views: its members do not add up to -1"],
    [
      "Former/any(f:f eq 'Rnch')",
      18,
      24,
      "`Rnch` is not a valid Demo.Style: it has no member `Rnch`, did you mean `Ranch`?",
    ],
    [
      "'Rnch' in Former",
      0,
      6,
      "`Rnch` is not a valid Demo.Style: it has no member `Rnch`, did you mean `Ranch`?",
    ],
    ["Style eq Views", 0, 14, "`eq` cannot be applied to Demo.Style and Demo.Views"],
    ["Views has City", 10, 14, "unknown property `City`"],
    ["Views has Key", 0, 13, "`has` cannot be applied to Edm.String and Edm.String"],
  ])("%s is refused", (text, start, end, message) => {
    expect(() => bindFilter(parseFilter(text), set)).toThrow(
      expect.objectContaining({ span: { start, end }, message }),
    );
  });

  test("a wrong member in an alias is refused there", () => {
    const refused = { code: "invalid_literal", option: "@wrong", span: { start: 0, end: 6 } };
    expect(() => bindFilter(parseFilter("Style eq @wrong"), set, { aliases })).toThrow(
      expect.objectContaining(refused),
    );
  });

  test("in any letter case where case is ignored", () => {
    const bound = bindFilter(parseFilter("Style eq 'RANCH' and Views eq 'city,LAKE'"), set, {
      ignoreCase: true,
    });
    expect(evaluate(bound, row)).toBe(true);
  });
});

describe("enumerations are ordered by their numbers", () => {
  test.each([
    ["Style lt 'Colonial'", true],
    ["Style lt 'Modern'", true],
    ["Style ge 'Ranch'", true],
    ["Style gt Demo.Style'Ranch'", false],
    ["'Modern' gt Style", true],
    ["Style gt null", false],
    ["Views gt 'City'", true],
    ["Views gt '5'", false],
    ["Views le 'Mountain,City'", true],
    ["Former/any(f:f gt Style)", true],
  ])("%s is %s", (text, value) => {
    expect(evaluate(bindExpression(parseFilter(text), set), row)).toBe(value);
  });

  test("in `$orderby` too, null first", () => {
    const rows = ["Modern", "Ranch", null, "Colonial"].map((Style) => ({ Style }));
    const { orderBy } = bindQuery({ orderBy: parseOrderBy("Style"), top: 9 }, set);
    const sorted = rows.toSorted((a, b) => compareRows(orderBy, a, b));
    expect(sorted.map(({ Style }) => Style)).toEqual([null, "Ranch", "Colonial", "Modern"]);
  });

  test("with the numbers that the type states", () => {
    const rated = { ...styles, values: [10, 5, 0] };
    const style = {
      name: "Style",
      type: "Edm.String",
      collection: false,
      nullable: true,
      enumType: rated,
    } as const;
    const one: EntitySet = { ...houses, type: { ...houses.type, properties: new Map([["Style", style]]) } };
    const value = (text: string) => evaluate(bindExpression(parseFilter(text), one), house);
    expect(["Style gt 'Modern'", "Style eq '10'", "Style lt '5'"].map(value)).toEqual([true, true, false]);
  });
});

describe("a text beside a duration is a duration", () => {
  test.each([
    ["Stay eq 'PT36H'", true],
    ["'P1DT12H' eq Stay", true],
    ["Stay in ('P1D','PT36H')", true],
    ["Stay gt 'P1D'", true],
    ["Stay eq @stay", true],
    ["Stay add 'PT12H' eq 'P2D'", true],
    ["Built add 'P1D' eq 2024-03-01", true],
    ["Changed sub 'PT15.25S' eq 2024-02-29T22:30:00Z", true],
    ["totalseconds('PT1M') eq 60", true],
  ])("%s is %s", (text, value) => {
    expect(evaluate(bindExpression(parseFilter(text), set, { aliases }), row)).toBe(value);
  });

  test.each([
    ["Stay eq '36 hours'", 8, 18],
    ["Stay in ('P1D','P')", 15, 18],
  ])("%s is refused", (text, start, end) => {
    expect(() => bindFilter(parseFilter(text), set)).toThrow(
      expect.objectContaining({ code: "invalid_literal", span: { start, end } }),
    );
  });
});

describe("a number beside a single is rounded to a single", () => {
  test.each([
    ["Ratio eq 1.1", true],
    ["1.1 eq Ratio", true],
    ["Ratio eq 1.1e0", true],
    ["Ratio gt 1.1", false],
    ["Ratio le 1.1", true],
    ["Ratio in (1,1.1)", true],
    ["Ratio eq 1", false],
    ["Ratio lt 1e300", true],
    ["Ratio eq cast(1.1,Edm.Double)", false],
  ])("%s is %s", (text, value) => {
    expect(evaluate(bindExpression(parseFilter(text), set), row)).toBe(value);
  });
});

test("a tuple, its rows and their list may be aliases", () => {
  const values = { "@t": "[Style,Small]", "@r": '["Ranch",200]', "@l": '[["Modern",1],@r]', "@u": "@t" };
  const parsed = Object.entries(values).map(([name, text]) => [name, parseExpression(text)] as const);
  const options = { aliases: Object.fromEntries(parsed) };
  for (const text of ["@t in @l", "@u in [@r]", "[Style,Small] in @l"])
    expect(evaluate(bindExpression(parseFilter(text), set, options), row), text).toBe(true);
});
