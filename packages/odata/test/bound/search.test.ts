import { describe, expect, test } from "vitest";
import { bindQuery, evaluate, parseSearch, QueryError, type Row } from "../../src/index.ts";
import { homes, searchable } from "../support/homes.ts";

const bind = (text: string, names: readonly string[] = searchable) =>
  bindQuery({ search: parseSearch(text), top: 10 }, homes, [], { searchable: names }).filter;

const home: Row = { Key: "k", Title: "Blue House", Remarks: "O'Fallon: sea-view, 2½ baths. Straße." };

describe("`$search` finds, in a home by the sea,", () => {
  test.each([
    ["blue", true],
    ["BLUE house", true],
    ["blu", false],
    ["blue sea", true],
    ["blue AND pool", false],
    ["blue OR pool", true],
    ["blue NOT pool", true],
    ["blue NOT sea", false],
    ["NOT pool", true],
    ["NOT (blue AND sea)", false],
    ["pool OR NOT lake", true],
    ["NOT pool NOT sea", false],
    ['"sea view"', true],
    ['"view sea"', false],
    ['"sea, VIEW!"', true],
    ["sea-view", true],
    ["view-sea", false],
    ["O'Fallon", true],
    ["'o fallon sea'", true],
    // The last word of one property and the first of the next are no phrase.
    ['"house o"', false],
    ["STRASSE", false],
    ["STRAẞE", true],
    ["2½", true],
    ["2", false],
  ])("%s: %s", (text, expected) => {
    expect(evaluate(bind(text), home)).toBe(expected);
  });

  test("nothing in null, which has no words", () => {
    expect(evaluate(bind("blue"), { Key: "k" })).toBe(false);
    expect(evaluate(bind("NOT blue"), { Key: "k" })).toBe(true);
  });

  test("no properties but those that are searchable", () => {
    expect(evaluate(bind("sea", ["Title"]), home)).toBe(false);
    expect(evaluate(bind("sea", ["Title", "Absent", "Remarks"]), home)).toBe(true);
  });
});

test.each([
  ["blue & sea", searchable, "invalid_literal", 5],
  ['blue "?"', searchable, "invalid_literal", 5],
  ["blue", [], "not_supported", 0],
  ["blue", ["Absent"], "not_supported", 0],
])("`$search=%s` over %j is refused: %s", (text, names, code, start) => {
  try {
    bind(text, names);
    expect.fail("it is not refused");
  } catch (error) {
    if (!(error instanceof QueryError)) throw error;
    expect([error.code, error.option, error.span?.start]).toEqual([code, "$search", start]);
  }
});

test("a searchable property that is no text is a mistake of the host", () => {
  const entitySet = {
    ...homes,
    type: {
      ...homes.type,
      properties: new Map([
        ["N", { name: "N", type: "Edm.Int32", collection: false, nullable: true } as const],
      ]),
    },
  };
  const parts = { search: parseSearch("a"), top: 1 };
  expect(() => bindQuery(parts, entitySet, [], { searchable: ["N"] })).toThrowError(RangeError);
});
