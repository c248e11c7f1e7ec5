import { describe, expect, test } from "vitest";
import { bindApplied, bindApply, parseApply } from "../../src/apply/index.ts";
import { parseCompute, parseFilter, parseSearch, parseSelect, QueryError } from "../../src/index.ts";
import { parseExpression } from "../../src/tree/index.ts";
import { sales } from "../support/sales.ts";

function errorOf(work: () => unknown): QueryError {
  try {
    work();
  } catch (error) {
    if (error instanceof QueryError) return error;
    throw error;
  }
  throw new Error("nothing is refused");
}

const bind = (text: string) => bindApply(parseApply(text), sales);

/** Text, code, faulty part of the text, and a part of the message. */
const cases: readonly (readonly [string, string, string, string])[] = [
  ["topsum(10,Amount)", "not_supported", "topsum", "the transformation `topsum` is not supported"],
  ["identity/bottompercent(10,Amount)", "not_supported", "bottompercent", "`bottompercent`"],
  ["nest(identity as X)", "not_supported", "nest", "`nest`"],
  ["join(Product as P)", "not_supported", "join", "`join`"],
  ["My.Function()", "not_supported", "My.Function", "the function `My.Function`"],
  ["aggregate(Forecast)", "not_supported", "Forecast", "a custom aggregate"],
  ["aggregate(Amount with My.median as M)", "not_supported", "Amount with My.median as M", "`My.median`"],
  ["aggregate(Amount with median as M)", "not_supported", "Amount with median as M", "`median`"],
  [
    "aggregate(Amount with sum from Time with average as D)",
    "not_supported",
    "Amount with sum from Time with average as D",
    "`from`",
  ],
  ["groupby((rollup(Time,Amount)))", "not_supported", "rollup(Time,Amount)", "`rollup`"],
  ["groupby((Customer))", "not_supported", "Customer", "grouping by `Customer`"],
  ["groupby((Time),concat(identity,identity))", "not_supported", "concat", "`concat` in `groupby`"],
  ["groupby((Time),groupby((Amount))/aggregate($count as N))", "not_supported", "groupby", "`groupby` in"],
  [
    "groupby((Time),skip(1)/aggregate($count as N))",
    "not_supported",
    "aggregate($count as N)",
    "`aggregate` in `groupby` after `skip`",
  ],
  [
    "groupby((Time),filter(Amount gt 1)/top(1)/aggregate($count as N))",
    "not_supported",
    "aggregate($count as N)",
    "or after a limit and `filter`",
  ],
  ["aggregate($count as N)/search(x)", "not_supported", "search(x)", "`search` after"],
  ["search(x)", "not_supported", "x", "`$search` in Sales"],
  ["filter(Amont gt 1)", "unknown_property", "Amont", "did you mean `Amount`?"],
  ["groupby((Custmer/Country))", "unknown_property", "Custmer", "did you mean `Customer`?"],
  ["groupby((Time))/filter(Amount gt 1)", "unknown_property", "Amount", "unknown property `Amount`"],
  ["groupby((Customer/Country))/filter(Customer/Name eq 'x')", "unknown_property", "Name", "`Name`"],
  ["aggregate(Amount with sum as T)/filter(Totl gt 1)", "unknown_property", "Totl", "`Totl`"],
  ["aggregate(Amount with sum as Total)/orderby(Totl)", "unknown_property", "Totl", "`Total`"],
  ["aggregate(Amount with sum as Time)", "invalid_option", "Amount with sum as Time", "`aggregate` must be"],
  ["aggregate($count as N,$count as N)", "invalid_option", "$count as N", "got `N`"],
  ["groupby((Time))/compute(1 as Amount)", "invalid_option", "1 as Amount", "got `Amount`"],
  ["compute(1 as A)/compute(2 as A)", "invalid_option", "2 as A", "got `A`"],
  ["aggregate(Customer/Name with sum as S)", "type_mismatch", "Customer/Name with sum as S", "Edm.String"],
  [
    "aggregate(Customer with countdistinct as S)",
    "type_mismatch",
    "Customer with countdistinct as S",
    "Customer",
  ],
  ["topcount(0,Amount)", "invalid_option", "0", "a whole number from 1 on, got `0`"],
  ["top(1.5)", "invalid_option", "1.5", "a whole number from 0 on, got `1.5`"],
  ["top(Amount)", "invalid_option", "Amount", "got `Amount`"],
  ["skip(-1)", "invalid_option", "-1", "got `-1`"],
  ["filter(Amount)", "not_boolean", "Amount", "Edm.Decimal"],
  ["orderby(Customer)", "not_sortable", "Customer", "Customer"],
  [
    "concat(aggregate($count as X),aggregate(Time with max as X))",
    "type_mismatch",
    "concat(aggregate($count as X),aggregate(Time with max as X))",
    "Edm.Decimal and Edm.Date, the types of `X`",
  ],
];

describe("`$apply` is refused by name and place", () => {
  test.each(cases)("%s: %s", (text, code, part, message) => {
    const error = errorOf(() => bind(text));
    expect([error.code, error.option]).toEqual([code, "$apply"]);
    expect(text.slice(error.span?.start, error.span?.end)).toBe(part);
    expect(error.message).toContain(message);
  });
});

describe("an option after `$apply` is refused", () => {
  const apply = bind("groupby((Customer/Country),aggregate(Amount with sum as Total))");
  test.each([
    [{ filter: parseFilter("Amount gt 1") }, "$filter", "unknown property `Amount`"],
    [{ select: parseSelect("Totl") }, "$select", "did you mean `Total`?"],
    [{ select: parseSelect("Customer/Name") }, "$select", "unknown property `Name`"],
    [{ select: parseSelect("Total/x") }, "$select", "unknown property `x`"],
    [{ compute: parseCompute("1 as Amount") }, "$compute", "got `Amount`"],
    [{ search: parseSearch("x") }, "$search", "`$search` after `$apply`"],
  ])("%j in %s", (parts, option, message) => {
    const error = errorOf(() => bindApplied(apply, { ...parts, top: 1 }));
    expect(error.option).toBe(option);
    expect(error.message).toContain(message);
  });
});

describe("`$apply` costs what its text allows", () => {
  const sum = (i: number) => `Amount add ${i} with sum as S${i}`;
  test.each([
    ["many transformations", Array(33).fill("identity").join("/")],
    ["many nested ones", `concat(${Array(40).fill("identity").join()})`],
    ["copies", Array(5).fill("concat(identity,identity)").join("/")],
    [
      "order items",
      Array.from(
        { length: 5 },
        (_, i) => `orderby(${Array.from({ length: 8 }, (__, k) => `Amount add ${i * 8 + k}`).join()})`,
      ).join("/"),
    ],
    [
      "computed properties that repeat each other",
      `compute(${Array.from({ length: 20 }, (_, i) => `${i === 0 ? "Amount" : `X${i - 1}`} add ${i === 0 ? 1 : `X${i - 1}`} as X${i}`).join()})`,
    ],
    [
      "computed properties that are aggregated many times",
      `compute(${Array(200).fill("Amount").join(" add ")} as X)/aggregate(${Array.from({ length: 20 }, (_, i) => `X with sum as S${i}`).join()})`,
    ],
    ["many aggregates", `aggregate(${Array.from({ length: 700 }, (_, i) => sum(i)).join()})`],
    ["deep nesting", `${"concat(identity,".repeat(70)}identity${")".repeat(70)}`],
  ])("%s", (_, text) => {
    expect(errorOf(() => bind(text)).code).toBe("query_too_complex");
  });

  test("a long value of a parameter alias, used many times", () => {
    const aliases = { "@a": parseExpression(Array(480).fill("Amount").join(" add ")) };
    const uses = (count: number) =>
      parseApply(`aggregate(${Array.from({ length: count }, (_, i) => `@a with sum as S${i}`).join()})`);
    expect(bindApply(uses(2), sales, { aliases }).steps).toHaveLength(1);
    const start = process.cpuUsage();
    expect(errorOf(() => bindApply(uses(600), sales, { aliases })).code).toBe("query_too_complex");
    expect(process.cpuUsage(start).user).toBeLessThan(500_000);
  });

  test("and no less", () => {
    expect(bind(Array(32).fill("identity").join("/")).steps).toEqual([]);
    expect(bind(Array(4).fill("concat(identity,identity)").join("/")).steps).toHaveLength(4);
    expect(bind(`aggregate(${Array.from({ length: 300 }, (_, i) => sum(i)).join()})`).steps).toHaveLength(1);
  });
});
