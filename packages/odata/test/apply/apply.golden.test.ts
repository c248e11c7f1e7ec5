import { expect, test } from "vitest";
import {
  appliedMapping,
  bindApplied,
  bindApply,
  compileAppliedPage,
  parseApply,
} from "../../src/apply/index.ts";
import { compileCount, parseFilter, parseOrderBy, postgres, sql, sqlite } from "../../src/index.ts";
import { show } from "../support/golden.ts";
import { sales, salesMapping } from "../support/sales.ts";

const pipelines = [
  "aggregate($count as N)",
  "aggregate(Amount with sum as S,Amount with average as A,Pieces with sum as P)",
  "aggregate(Time with min as First,ID with max as Last,Customer/Name with countdistinct as Names)",
  "groupby((Customer/Country,Product/Category/Name),aggregate(Amount with sum as Total))",
  "groupby((Time),filter(Amount gt 3)/aggregate($count as N))",
  "groupby((Time),aggregate($count as N))/groupby((N))/filter(N gt 1)",
  "orderby(Amount desc)/skip(1)/top(2)",
  "topcount(2,Amount)/groupby((Time))/topcount(1,Time)",
  "groupby((Time),topcount(1,Amount))",
  "groupby((Time,Customer/Name),filter(Amount gt 1)/orderby(Amount)/top(2))",
  "concat(groupby((Time),aggregate(Amount with max as M)),aggregate(Amount with sum as S))",
];

test.each([sqlite, postgres])("`$apply` compiles to the SQL that was reviewed: $name", async (dialect) => {
  const restricted = { ...salesMapping, where: sql`"Pieces" is not null` };
  const compiled = pipelines.flatMap((text) => {
    const applied = bindApplied(bindApply(parseApply(text), sales), { top: 10 });
    const mapping = appliedMapping(applied.apply, restricted, dialect);
    return [
      show(text, compileAppliedPage(applied, dialect, restricted)),
      show(`${text}: its number of rows`, compileCount(applied.query, dialect, mapping)),
    ];
  });
  await expect(compiled.join("\n")).toMatchFileSnapshot(`golden/apply.${dialect.name}.sql`);
});

test.each([sqlite, postgres])(
  "neither a name nor a value of the query is part of the SQL: $name",
  (dialect) => {
    const text =
      "filter(ID eq 'Zebra')/compute('Zebra' as Zebra1)/groupby((Zebra1,Time),aggregate(length('Zebra') with sum as Zebra2))/concat(topcount(3,Zebra2),aggregate(Zebra2 with max as Zebra3))";
    const applied = bindApplied(bindApply(parseApply(text), sales), {
      top: 10,
      filter: parseFilter("Zebra3 ne 7 and Zebra1 ne 'Zebra'"),
      orderBy: parseOrderBy("Zebra2"),
    });
    const statement = compileAppliedPage(applied, dialect, salesMapping);
    expect(statement.text).not.toMatch(/zebra/i);
    expect(statement.values).toContain("Zebra");
  },
);
