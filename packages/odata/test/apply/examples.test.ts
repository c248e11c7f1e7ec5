import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bindApplied, bindApply, parseApply } from "../../src/apply/index.ts";
import { parseFilter, parseOrderBy, parseSelect } from "../../src/index.ts";
import { hasPostgres } from "../../src/testing/postgres.ts";
import { evaluatedResult, selectedCount, selectedRecords } from "../support/applied-results.ts";
import { type ApplyEngine, openPostgresApply, openSqliteApply } from "../support/apply-engines.ts";
import { sales, salesMapping, salesRows, salesStatements } from "../support/sales.ts";

type Options = {
  readonly filter?: string;
  readonly orderBy?: string;
  readonly select?: string;
  readonly top?: number;
  readonly skip?: number;
};

const bind = (apply: string, { filter, orderBy, select, top = 100, skip = 0 }: Options = {}) =>
  bindApplied(bindApply(parseApply(apply), sales), {
    filter: filter === undefined ? undefined : parseFilter(filter),
    orderBy: orderBy === undefined ? undefined : parseOrderBy(orderBy),
    select: select === undefined ? undefined : parseSelect(select),
    top,
    skip,
  });

const engines: Record<string, ApplyEngine> = {};
beforeAll(async () => {
  engines["SQLite"] = openSqliteApply();
  if (hasPostgres) engines["PostgreSQL"] = await openPostgresApply();
  for (const engine of Object.values(engines))
    for (const statement of salesStatements) await engine.execute(statement);
}, 120_000);
afterAll(async () => {
  for (const engine of Object.values(engines)) await engine.close();
});

const usa = '"Customer":{"Country":"USA"}';
const netherlands = '"Customer":{"Country":"Netherlands"}';
const named = (name: string) => `"Product":{"Name":"${name}"}`;

/** Expected records, typed out by hand from the rows of the standard. */
const examples: readonly (readonly [apply: string, expected: readonly string[], options?: Options])[] = [
  // Section 3.2.1
  ["aggregate(Amount with sum as Total,Amount with max as MxA)", ['{"Total":24,"MxA":8}']],
  ["aggregate(Amount mul Product/TaxRate with sum as Tax)", ['{"Tax":2.08}']],
  ["aggregate(Amount with min as MinAmount)", ['{"MinAmount":1}']],
  ["aggregate(Amount with average as AverageAmount)", ['{"AverageAmount":3}']],
  ["aggregate(Product/ID with countdistinct as DistinctProducts)", ['{"DistinctProducts":3}']],
  ["aggregate($count as SalesCount)", ['{"SalesCount":8}']],
  [
    "groupby((Time),aggregate(Amount with sum as Total))/aggregate(Total with average as DailyAverage)",
    ['{"DailyAverage":6}'],
  ],
  // Integers add up to decimals, which do not overflow; the quotient has twenty digits, truncated.
  [
    "aggregate(Pieces with sum as Sum,Pieces with average as Mean,Pieces with max as Most)",
    ['{"Sum":4294967307,"Mean":715827884.5,"Most":2147483647}'],
  ],
  ["filter(ID in ('1','2','3'))/aggregate(Amount with average as A)", ['{"A":2.33333333333333333333}']],
  [
    "filter(false)/aggregate(Amount with sum as S,Amount with min as L,Amount with average as A,$count as N,ID with countdistinct as D)",
    ['{"S":null,"L":null,"A":null,"N":0,"D":0}'],
  ],
  ["filter(false)/groupby((Time),aggregate($count as N))", []],
  [
    "aggregate(Time with min as First,Customer/Name with max as Last)",
    ['{"First":"2022-01-03","Last":"Sue"}'],
  ],
  // Section 3.2.3
  [
    "groupby((Customer/Country,Product/Name),aggregate(Amount with sum as Total))",
    [
      `{${netherlands},${named("Paper")},"Total":3}`,
      `{${netherlands},${named("Sugar")},"Total":2}`,
      `{${usa},${named("Coffee")},"Total":12}`,
      `{${usa},${named("Paper")},"Total":5}`,
      `{${usa},${named("Sugar")},"Total":2}`,
    ],
  ],
  [
    "groupby((Product/Name,Amount))",
    [
      `{${named("Coffee")},"Amount":4}`,
      `{${named("Coffee")},"Amount":8}`,
      `{${named("Paper")},"Amount":1}`,
      `{${named("Paper")},"Amount":2}`,
      `{${named("Paper")},"Amount":4}`,
      `{${named("Sugar")},"Amount":2}`,
    ],
  ],
  [
    "groupby((Customer/Country,Customer/Name))",
    [
      '{"Customer":{"Country":"Netherlands","Name":"Sue"}}',
      '{"Customer":{"Country":"USA","Name":"Joe"}}',
      '{"Customer":{"Country":"USA","Name":"Sue"}}',
    ],
  ],
  [
    "groupby((Product/Category/Name),aggregate(Amount with sum as Total))",
    [
      '{"Product":{"Category":{"Name":"Food"}},"Total":16}',
      '{"Product":{"Category":{"Name":"Non-Food"}},"Total":8}',
    ],
  ],
  // Null is a group, and the first one.
  ["groupby((Pieces),aggregate($count as N))/top(2)", ['{"Pieces":null,"N":2}', '{"Pieces":1,"N":1}']],
  // What is filtered in a group is still a group.
  [
    "groupby((Customer/Country),filter(Amount gt 4)/aggregate(Amount with sum as Total,$count as N))",
    [`{${netherlands},"Total":null,"N":0}`, `{${usa},"Total":8,"N":1}`],
  ],
  [
    "groupby((Customer/Country),compute(Amount mul 2 as Double)/filter(Double gt 4)/aggregate(Double with max as M))",
    [`{${netherlands},"M":null}`, `{${usa},"M":16}`],
  ],
  // Some rows of each group, group by group
  [
    "groupby((Customer/Country),topcount(1,Amount))",
    ['"ID":"6","Customer":{"Country":"Netherlands"}', '"ID":"4","Customer":{"Country":"USA"}'],
    { select: "ID,Customer/Country" },
  ],
  [
    "groupby((Time),orderby(Amount)/skip(1))",
    ['"ID":"4"', '"ID":"6"', '"ID":"3"', '"ID":"5"'],
    { select: "ID" },
  ],
  [
    "groupby((Time),filter(Amount gt 2)/bottomcount(1,Amount))",
    ['"ID":"4"', '"ID":"3"', '"ID":"5"'],
    { select: "ID" },
  ],
  [
    "groupby((Product/Name),topcount(2,Amount)/aggregate(Amount with sum as Most,$count as N))",
    [
      `{${named("Coffee")},"Most":12,"N":2}`,
      `{${named("Paper")},"Most":6,"N":2}`,
      `{${named("Sugar")},"Most":4,"N":2}`,
    ],
  ],
  [
    "groupby((Customer/Country,Product/Name),aggregate(Amount with sum as Total))/groupby((Customer/Country),topcount(1,Total))",
    [`{${netherlands},${named("Paper")},"Total":3}`, `{${usa},${named("Coffee")},"Total":12}`],
  ],
  // Section 3.3
  ["topcount(2,Amount)", ['"ID":"3"', '"ID":"4"'], { select: "ID" }],
  ["bottomcount(2,Amount)", ['"ID":"1"', '"ID":"7"'], { select: "ID" }],
  ["filter(Amount gt 3)", ['"ID":"3"', '"ID":"4"', '"ID":"5"'], { select: "ID" }],
  ["orderby(Customer/Name desc)/top(2)", ['"ID":"4"', '"ID":"5"'], { select: "ID" }],
  ["orderby(Customer/Name desc)/skip(2)/top(2)", ['"ID":"6"', '"ID":"7"'], { select: "ID" }],
  ["top(0)", [], { select: "ID" }],
  ["identity/skip(6)", ['"ID":"7"', '"ID":"8"'], { select: "ID" }],
  [
    "groupby((Product/Name),aggregate(Amount with sum as Total))/orderby(Total desc)",
    [`{${named("Coffee")},"Total":12}`, `{${named("Paper")},"Total":8}`, `{${named("Sugar")},"Total":4}`],
  ],
  [
    "topcount(3,Amount)/groupby((Customer/Country),aggregate(Amount with sum as Total))",
    [`{${usa},"Total":16}`],
  ],
  [
    "compute(year(Time) mul 12 add month(Time) as Month)/groupby((Month),aggregate($count as N))/topcount(1,N)",
    ['{"Month":24265,"N":2}'],
  ],
  // Section 3.2.2: what a row does not have is absent.
  [
    "concat(groupby((Customer/Country),aggregate(Amount with sum as Total)),aggregate(Amount with sum as Total))",
    [`{${netherlands},"Total":5}`, `{${usa},"Total":19}`, '{"Total":24}'],
  ],
  [
    "concat(topcount(1,Amount),bottomcount(1,Amount)/compute(Amount mul 2 as Double))",
    [
      '{"ID":"4","Time":"2022-01-03","Amount":8,"Pieces":null}',
      '{"ID":"1","Time":"2022-01-03","Amount":1,"Pieces":3,"Double":2}',
    ],
  ],
  [
    "groupby((Product/Name),aggregate(Amount with sum as Total))/concat(orderby(Total desc)/top(1),concat(identity,aggregate(Total with sum as All)))",
    [
      `{${named("Coffee")},"Total":12}`,
      `{${named("Coffee")},"Total":12}`,
      `{${named("Paper")},"Total":8}`,
      `{${named("Sugar")},"Total":4}`,
      '{"All":24}',
    ],
  ],
  ["concat(identity,identity)/aggregate($count as N,Amount with sum as Sum)", ['{"N":16,"Sum":48}']],
  // Options on the result
  [
    "groupby((Product/Name),aggregate(Amount with sum as Total))",
    [`{${named("Paper")},"Total":8}`, `{${named("Coffee")},"Total":12}`],
    { filter: "Total gt 4 and Product/Name ne 'x'", orderBy: "Total" },
  ],
  [
    "groupby((Product/Name),aggregate(Amount with sum as Total))",
    ['{"Total":8}'],
    { select: "Total", top: 1, skip: 1 },
  ],
  [
    "groupby((Product/Name,Product/Color),aggregate(Amount with sum as Total))",
    [`{${named("Paper")}}`, `{${named("Sugar")}}`],
    { select: "Product/Name", filter: "Product/Color eq 'White'" },
  ],
];

/** Records of entities are compared by their key. */
const shown = (expected: readonly string[]) =>
  expected.map((record) => (record.startsWith("{") ? record : `{${record}}`));

const countOf = (expected: readonly string[], { top, skip = 0 }: Options = {}) =>
  top === undefined && skip === 0 ? expected.length : undefined;

test("PostgreSQL takes part, if it is installed", () => {
  expect(Object.keys(engines)).toEqual(hasPostgres ? ["SQLite", "PostgreSQL"] : ["SQLite"]);
});

describe("an example of the standard", () => {
  const cases = examples.map(([apply, expected, options]) => ({ apply, expected, options }));
  test.each(cases)("$apply", async ({ apply, expected, options }) => {
    const applied = bind(apply, options);
    const { count, records } = evaluatedResult(applied, salesRows);
    expect(records).toEqual(shown(expected));
    expect(countOf(expected, options) ?? count).toBe(count);
    for (const [name, engine] of Object.entries(engines)) {
      expect([name, await selectedRecords(engine, applied, salesMapping)]).toEqual([name, records]);
      expect([name, await selectedCount(engine, applied, salesMapping)]).toEqual([name, count]);
    }
  });
});
