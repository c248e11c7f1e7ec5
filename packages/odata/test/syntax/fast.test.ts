import { describe, expect, test } from "vitest";
import { corpus } from "../../bench/corpus.ts";
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
} from "../../src/syntax/index.ts";
import { errorOf } from "./error-of.ts";

const common = [
  "cast(ListPrice,Edm.String) eq '5'",
  "cast(Ns.Condo/Floor,Edm.String) eq '5'",
  "cast( ListPrice , Edm.String ) eq '5'",
  "isof(Edm.String)",
  "isof(Office,Ns.BigOffice)",
  "ModificationTimestamp ge now()",
  "ModificationTimestamp gt 2024-01-01T00:00:00.000-08:00",
  "geo.distance(Coordinates,geography'POINT(-118 34)') lt 5",
  "geo.distance(Coordinates, geography'SRID=4326;Point(-118.1 34.2)') lt 5.5",
  "geo.intersects(Coordinates,geography'POLYGON((0 0,1 0,1 1,0 0))')",
  "Media/any()",
  "MEDIA/ANY( m : m/Order EQ 1 )",
  "Media/$count gt 2",
  "StandardStatus IN ( 'Active', 'Pending' )",
  "StandardStatus in('Active')",
  "Appliances/any(a:a in ('Dryer','Washer')) and not(PoolPrivateYN eq true)",
  "length('abc') eq 3",
  "City eq null and 5 lt ListPrice",
  "Ns.Condo/Floor eq -5",
  "$it/City eq @city",
  "Key eq 01234567-89ab-cdef-0123-456789abcdef",
];

describe("what clients really send needs no grammar", () => {
  test.each([...common, ...Object.values(corpus)])("%s", (text) => {
    const tree = parseFast(text, defaultLimits);
    expect(tree).toBeDefined();
    expect(tree).toEqual(expressionByGrammar(text, defaultLimits));
  });
});

describe("a list is the same by the grammar, spans included", () => {
  test.each([
    "City",
    "City,ListPrice desc",
    "City, ListPrice  DESC,  State asc",
    "length(City) desc,Office/Name",
    "(a) asc,b",
  ])("$orderby=%s", (text) => {
    expect(parseOrderBy(text)).toEqual(orderByByGrammar(text, defaultLimits));
  });

  test.each(["City", "City,State", "City, State,  Zip"])("%s in $select and $expand", (text) => {
    expect(parseSelect(text)).toEqual(selectByGrammar(text, defaultLimits));
    expect(parseExpand(text)).toEqual(expandByGrammar(text, defaultLimits));
  });
});

/** Expressions and the number of their nodes; a lambda variable is one. */
const sizes: readonly (readonly [text: string, nodes: number])[] = [
  ["a", 1],
  ["a eq 1", 3],
  ["a eq 1 and b eq 2", 7],
  ["a or b or c", 5],
  ["a/b/c", 3],
  ["not a", 2],
  ["-a", 2],
  ["a has 'x'", 3],
  ["a in (1,2)", 5],
  ["f(a,b)", 3],
  ["cast(a,Edm.String)", 3],
  ["a/any(b:b eq 1)", 6],
  ["a/any()", 2],
  ["a/$count", 2],
];

/** Every way to read an expression within limits. */
const parsers = { "the fast path": parseFast, "the grammar": expressionByGrammar } as const;

describe.each(Object.entries(parsers))("limits are exact in %s", (_, parse) => {
  test.each(sizes)("%s has %i nodes", (text, nodes) => {
    expect(parse(text, { ...defaultLimits, nodes })).toBeDefined();
    const error = errorOf(() => parse(text, { ...defaultLimits, nodes: nodes - 1 }));
    expect(error.details).toEqual({ measure: "the number of expressions", limit: nodes - 1 });
  });

  test("two values in a list", () => {
    expect(parse("a in (1,2)", { ...defaultLimits, listItems: 2 })).toBeDefined();
    const error = errorOf(() => parse("a in (1,2)", { ...defaultLimits, listItems: 1 }));
    expect(error.details).toEqual({ measure: "the number of values in a list", limit: 1 });
  });

  test("two levels", () => {
    expect(parse("((a))", { ...defaultLimits, nesting: 2 })).toBeDefined();
    const error = errorOf(() => parse("((a))", { ...defaultLimits, nesting: 1 }));
    expect(error.details).toEqual({ measure: "the nesting depth", limit: 1 });
  });
});

test("limits are exact in what only the grammar reads", () => {
  const limits = { ...defaultLimits, listItems: 2, textLength: 5 };
  expect(expressionByGrammar("[1,2]", limits).kind).toBe("Array");
  expect(errorOf(() => expressionByGrammar("[1,2]", { ...limits, listItems: 1 })).details["limit"]).toBe(1);
  expect(errorOf(() => expressionByGrammar("[1,2]", { ...limits, textLength: 4 })).details["limit"]).toBe(4);
});

test("brackets right after a closing quote are counted", () => {
  const error = errorOf(() => parseFilter("''(".repeat(65)));
  expect([error.code, error.span?.start]).toEqual(["query_too_complex", 3 * 65 - 1]);
});
