import { afterAll, describe, expect, test } from "vitest";
import { bindApplied, bindApply, compileAppliedPage, parseApply } from "../../src/apply/index.ts";
import { QueryError } from "../../src/index.ts";
import { hasPostgres } from "../../src/testing/postgres.ts";
import { openPostgresApply, openSqliteApply } from "../support/apply-engines.ts";
import { sales, salesMapping, salesStatements } from "../support/sales.ts";

const engines = [openSqliteApply(), ...(hasPostgres ? [await openPostgresApply()] : [])];
for (const engine of engines) for (const statement of salesStatements) await engine.execute(statement);
afterAll(async () => {
  for (const engine of engines) await engine.close();
});

const repeated = (count: number, text: (i: number) => string, between: string): string =>
  Array.from({ length: count }, (_, i) => text(i)).join(between);
const bind = (text: string) => bindApplied(bindApply(parseApply(text), sales), { top: 5 });

/** Near the limits: one more of anything is refused. */
const largest: readonly (readonly [name: string, text: string])[] = [
  ["groups of groups", repeated(32, () => "groupby((Amount,Customer/Name))", "/")],
  [
    "aggregates of aggregates",
    repeated(32, (i) => `aggregate(${i === 0 ? "Amount" : `S${i - 1}`} with sum as S${i})`, "/"),
  ],
  ["limits", repeated(32, (i) => (i % 2 === 0 ? "topcount(7,Product/Name)" : "skip(0)"), "/")],
  [
    "limits of each group",
    `groupby((Amount,Time,Customer/Country),${repeated(31, () => "topcount(7,Product/Name)", "/")})`,
  ],
  ["limits of groups", `groupby((Amount))/${repeated(31, () => "topcount(7,Amount)", "/")}`],
  ["copies", repeated(4, () => "concat(identity,identity)", "/")],
  ["branches", `concat(${repeated(16, (i) => `topcount(${i + 1},Amount)`, ",")})`],
  [
    "a filter before branches",
    `filter(${repeated(29, (i) => `Amount ne ${i}`, " or ")})/concat(${repeated(16, () => "identity", ",")})`,
  ],
  [
    "conditions",
    `filter(${repeated(490, (i) => `Amount ne ${i}`, " or ")})/groupby((Time),aggregate($count as N))`,
  ],
  ["aggregates", `aggregate(${repeated(499, (i) => `Amount add ${i} with sum as S${i}`, ",")})`],
  [
    "depth",
    `${repeated(10, () => "skip(0)", "/")}/aggregate(${repeated(400, () => "Amount", " add ")} with sum as S)`,
  ],
  ["plain aggregates", `aggregate(${repeated(1000, (i) => `Amount with sum as S${i}`, ",")})`],
  ["plain computed properties", `compute(${repeated(1000, (i) => `Amount as S${i}`, ",")})`],
  ["orders", `orderby(${repeated(8, (i) => `Amount add ${i}`, ",")})/${repeated(20, () => "skip(0)", "/")}`],
];

const mostSql = 500_000;

describe("the largest pipelines run", () => {
  test.each(largest)("%s", { timeout: 60_000 }, async (_, text) => {
    const applied = bind(text);
    for (const { dialect, run } of engines) {
      const statement = compileAppliedPage(applied, dialect, salesMapping);
      expect(statement.text.length).toBeLessThan(mostSql);
      expect((await run(statement)).length).toBeGreaterThan(0);
    }
  });
});

describe("larger ones are refused", () => {
  test.each([
    [
      "a filter before branches",
      `filter(${repeated(60, (i) => `Amount ne ${i}`, " or ")})/concat(${repeated(16, () => "identity", ",")})`,
    ],
    [
      "a filter before nested branches",
      `filter(${repeated(60, (i) => `Amount ne ${i}`, " or ")})/${repeated(4, () => "concat(identity,identity)", "/")}`,
    ],
    [
      "orders",
      `orderby(${repeated(8, (i) => `Amount add ${i} add 1 add 1 add 1 add 1`, ",")})/${repeated(30, () => "skip(0)", "/")}`,
    ],
    ["plain aggregates", `aggregate(${repeated(1001, (i) => `Amount with sum as S${i}`, ",")})`],
    ["plain computed properties", `compute(${repeated(1001, (i) => `Amount as S${i}`, ",")})`],
    [
      "values of branches",
      `compute(${repeated(500, (i) => `Amount as S${i}`, ",")})/concat(${repeated(9, () => "identity", ",")})`,
    ],
    [
      "grouping properties of limits",
      `compute(${repeated(300, (i) => `Amount as S${i}`, ",")})/groupby((${repeated(300, (i) => `S${i}`, ",")}),${repeated(30, () => "top(1)", "/")})`,
    ],
    ["seventeen branches", `concat(${repeated(17, () => "identity", ",")})`],
  ])("%s", (_, text) => {
    expect(() => bind(text)).toThrow(QueryError);
    expect(() => bind(text)).toThrow("the query is too complex");
  });
});
