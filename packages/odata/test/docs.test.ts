import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { typeName } from "../src/bound/typing.ts";
import { expandRow } from "../src/compile/index.ts";
import {
  bindExpand,
  bindExpression,
  bindFilter,
  bindQuery,
  evaluate,
  type PrimitiveType,
  parseCompute,
  parseExpand,
  parseFilter,
  parseQueryOptions,
  parseSearch,
  parseSelect,
  QueryError,
  readOption,
} from "../src/index.ts";
import { codecOf } from "../src/run/index.ts";
import {
  parseExpression,
  printApply,
  printCompute,
  printExpand,
  printOrderBy,
  printSearch,
  printSelect,
} from "../src/tree/index.ts";
import { house, houses } from "./support/house.ts";

const page = readFileSync(new URL("../../../docs/odata.md", import.meta.url), "utf8");

/** Rows of the tables whose second column has the heading. */
const rowsUnder = (heading: string, first = "(?:expression|option|filter|search)") =>
  [
    ...page.matchAll(
      new RegExp(`^\\| ${first} \\| ${heading} \\|\\n\\|---\\|---\\|\\n((?:\\|.*\\n)+)`, "gm"),
    ),
  ].flatMap(([, body = ""]) =>
    [...body.matchAll(/^\| `(.*)` \| `(.*)` \|$/gm)].map(([, text = "", told = ""]) => ({ text, told })),
  );

/** Integers that a JSON number cannot hold are text, as with `IEEE754Compatible`. */
const withBigIntegers = (_key: string, value: unknown) => (typeof value === "bigint" ? String(value) : value);

describe("an expression of docs/odata.md has the value that the page tells", () => {
  test.each(rowsUnder("value"))("$text is $told", ({ text, told }) => {
    const bound = bindExpression(parseExpression(text), houses);
    const value = evaluate(bound, house);
    const type = typeName(bound.type).replace(/^Collection\((.*)\)$/, "$1") as PrimitiveType;
    const toJson = (one: unknown) => (one === null ? null : codecOf(type).toJson(one));
    const json = Array.isArray(value) ? value.map(toJson) : bound.type === "Null" ? null : toJson(value);
    expect(JSON.stringify(json, withBigIntegers)).toBe(JSON.stringify(JSON.parse(told)));
  });
});

describe("a filter of docs/odata.md has the value that the page tells, ignoring case", () => {
  test.each(rowsUnder("ignoring"))("$text is $told", ({ text, told }) => {
    const bound = bindFilter(parseFilter(text), houses, { ignoreCase: true });
    expect(String(evaluate(bound, house))).toBe(told);
  });
});

describe("a search of docs/odata.md finds what the page tells", () => {
  test.each(rowsUnder("found"))("$text is $told", ({ text, told }) => {
    const options = { searchable: ["Key", "Style"] };
    const { filter } = bindQuery({ search: parseSearch(text), top: 1 }, houses, [], options);
    expect(String(evaluate(filter, house))).toBe(told);
  });
});

describe("what docs/odata.md says is refused is refused with that code", () => {
  test.each(rowsUnder("code"))("$text: $told", ({ text, told }) => {
    let code: string | undefined;
    try {
      bindFilter(parseFilter(text), houses);
    } catch (error) {
      code = error instanceof QueryError ? error.code : String(error);
    }
    expect(code).toBe(told);
  });
});

describe("a computed property of docs/odata.md has the value that the page tells", () => {
  test.each(rowsUnder("value", "computed"))("$text is $told", ({ text, told }) => {
    const compute = parseCompute(text);
    const select = compute.map(({ name, start, end }) => ({
      path: [name],
      start,
      end,
      parameters: null,
      options: null,
    }));
    const answer = expandRow(house, bindQuery({ compute, select, top: 1 }, houses).select, []);
    expect(JSON.stringify(answer, withBigIntegers)).toBe(JSON.stringify(JSON.parse(told)));
  });
});

describe("a selection of docs/odata.md gives what the page tells", () => {
  test.each(rowsUnder("value", "selected"))("$text is $told", ({ text, told }) => {
    const { select } = bindQuery({ select: parseSelect(text), top: 1 }, houses);
    expect(expandRow(house, select, [])).toEqual(JSON.parse(told));
  });
});

/** The houses, whose rooms and offices are entities. */
const keyed = {
  ...houses,
  type: {
    ...houses.type,
    structured: new Map(
      [...(houses.type.structured?.values() ?? [])].map((property) => {
        const type = property.target();
        return [property.name, { ...property, target: () => ({ ...type, key: [] }) }];
      }),
    ),
  },
};

describe("an item of `$expand` of docs/odata.md adds what the page tells", () => {
  test.each(rowsUnder("value", "expanded"))("$text: $told", ({ text, told }) => {
    expect(expandRow(house, [], bindExpand(parseExpand(text), keyed))).toEqual(JSON.parse(told));
  });

  test.each(rowsUnder("code", "expanded"))("$text: $told", ({ text, told }) => {
    expect(() => bindExpand(parseExpand(text), keyed)).toThrow(expect.objectContaining({ code: told }));
  });
});

const printers = {
  $orderby: printOrderBy,
  $select: printSelect,
  $expand: printExpand,
  $search: printSearch,
  $compute: printCompute,
  $apply: printApply,
} as const;

describe("an option of docs/odata.md prints as the page tells", () => {
  test.each(rowsUnder("printed"))("$text", ({ text, told }) => {
    const options = parseQueryOptions(text);
    const [name] = options.system.keys();
    const print = printers[name as keyof typeof printers] as (tree: unknown) => string;
    expect(print(readOption(options, name as keyof typeof printers))).toBe(told);
  });
});

test("the page shows the house, and has its tables", () => {
  const shown: unknown = JSON.parse(/^```json\n([\s\S]*?)^```/m.exec(page)?.[1] ?? "null");
  expect(shown).toEqual(JSON.parse(JSON.stringify(house, withBigIntegers)));
  expect(rowsUnder("ignoring").length).toBeGreaterThan(10);
  expect(rowsUnder("found").length).toBeGreaterThan(5);
  expect(rowsUnder("value").length + rowsUnder("code").length + rowsUnder("printed").length).toBeGreaterThan(
    100,
  );
});
