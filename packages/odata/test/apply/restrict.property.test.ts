import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import {
  type AppliedQuery,
  bindApplied,
  bindApply,
  parseApply,
  restrictApplied,
} from "../../src/apply/index.ts";
import {
  type BoundNode,
  bindFilter,
  type Mapping,
  matches,
  parseFilter,
  type Row,
  sql,
  tableMapping,
} from "../../src/index.ts";
import { mapChildren } from "../../src/tree/index.ts";
import { evaluatedResult, selectedRecords } from "../support/applied-results.ts";
import { type EntityTexts, PipelineGenerator } from "../support/apply-arbitraries.ts";
import { openSqliteApply } from "../support/apply-engines.ts";
import { sales, salesMapping, salesRows, salesStatements } from "../support/sales.ts";

const { CASES, SEED } = process.env;
const always = { numRuns: Number(CASES ?? 60), endOnFailure: true };
const parameters = SEED === undefined ? always : { ...always, seed: Number(SEED) };
const options = { timeout: 120_000 + always.numRuns * 200 };

const engine = openSqliteApply();
for (const statement of salesStatements) await engine.execute(statement);
afterAll(() => engine.close());

const paths = [
  "ID",
  "Time",
  "Amount",
  "Pieces",
  "Customer/Name",
  "Customer/Country",
  "Product/Name",
  "Product/TaxRate",
];
const number = fc.constantFrom(
  "Amount",
  "Pieces",
  "Amount mul Product/TaxRate",
  "Amount add 1",
  "length(Customer/Name)",
);
const texts: EntityTexts = {
  filter: fc.constantFrom(
    "Amount gt 1",
    "Pieces eq null",
    "Customer/Country eq 'USA'",
    "Product/Name ne 'Paper'",
  ),
  orderBy: fc.constantFrom("Amount desc", "Customer/Name,Pieces desc", "Product/TaxRate"),
  number,
  value: fc.oneof(number, fc.constantFrom(...paths)),
  key: fc.constantFrom(...paths),
};

const applied = (gen: fc.GeneratorValue): readonly [string, AppliedQuery] => {
  const text = new PipelineGenerator(gen, sales, texts).sequence();
  return [text, bindApplied(bindApply(parseApply(text), sales), { top: 100 })];
};

const run = (query: AppliedQuery, mapping: Mapping) => selectedRecords(engine, query, mapping);

/** Restricts the sales to some, and the customers to those of one country. */
const restrictedMapping: Mapping = {
  ...salesMapping,
  where: sql`("Pieces" is null or "Pieces" < 5)`,
  path: (property) => {
    const path = salesMapping.path?.(property);
    return property.name === "Customer" && path?.kind === "rows"
      ? { ...path, mapping: () => ({ ...tableMapping("Customer"), where: sql`"Country" = 'USA'` }) }
      : path;
  },
};

/** Changes to rows that the restriction hides. */
const changes = [
  `update "Sale" set "Amount" = "Amount" * -7, "Time" = '1999-01-01', "ProductID" = 'P4' where "Pieces" >= 5`,
  `insert into "Sale" values ('9', 'C1', 'P1', '2022-01-03', 1000, 77)`,
  `update "Customer" set "Name" = 'Eve' where "Country" <> 'USA'`,
  `delete from "Sale" where "ID" = '5'`,
];

test("hidden rows change no byte of the result", options, async () => {
  await fc.assert(
    fc.asyncProperty(fc.gen(), fc.subarray(changes, { minLength: 1 }), async (gen, chosen) => {
      const [text, query] = applied(gen);
      await engine.execute("savepoint before");
      try {
        const before = await run(query, restrictedMapping);
        for (const change of chosen) await engine.execute(change);
        expect(await run(query, restrictedMapping), text).toEqual(before);
      } finally {
        await engine.execute("rollback to before");
        await engine.execute("release before");
      }
    }),
    parameters,
  );
});

test("the changes are seen without a restriction", async () => {
  const query = bindApplied(
    bindApply(parseApply("groupby((Customer/Name),aggregate(Amount with sum as S))"), sales),
    { top: 9 },
  );
  const before = await run(query, salesMapping);
  await engine.execute("savepoint before");
  for (const change of changes) {
    await engine.execute(change);
    expect(await run(query, salesMapping)).not.toEqual(before);
  }
  await engine.execute("rollback to before");
  await engine.execute("release before");
});

/** Shows the amounts of some sales only. */
const isShown = bindFilter(parseFilter("ID in ('1','3','5')"), sales);
const mask = (node: BoundNode): BoundNode =>
  node.kind === "Property" && node.base === undefined && node.property.name === "Amount"
    ? { kind: "Choice", type: "Edm.Decimal", when: isShown, value: node }
    : mapChildren(node, mask);
const rows = bindFilter(parseFilter("Pieces ne 7"), sales);

describe("a condition and a mask", () => {
  test("mean the same as the rows that they leave", options, async () => {
    const shown = salesRows
      .filter((row) => matches(rows, row))
      .map((row): Row => ({ ...row, Amount: matches(isShown, row) ? row["Amount"] : null }));
    await fc.assert(
      fc.asyncProperty(fc.gen(), async (gen) => {
        const [text, query] = applied(gen);
        const expected = evaluatedResult(query, shown).records;
        expect(await run(restrictApplied(query, { rows, rewrite: mask }), salesMapping), text).toEqual(
          expected,
        );
      }),
      parameters,
    );
  });

  test.each([2, 3])("leave out groups of less than %i, as in memory", options, async (least) => {
    await fc.assert(
      fc.asyncProperty(fc.gen(), async (gen) => {
        const [text, query] = applied(gen);
        const restricted = restrictApplied(query, { rows, rewrite: mask, least });
        expect(await run(restricted, salesMapping), text).toEqual(
          evaluatedResult(restricted, salesRows).records,
        );
      }),
      parameters,
    );
  });

  test("hide what an aggregate would tell", async () => {
    const query = bindApplied(bindApply(parseApply("aggregate(Amount with sum as Sum,$count as N)"), sales), {
      top: 1,
    });
    expect(await run(query, salesMapping)).toEqual(['{"Sum":24,"N":8}']);
    expect(await run(restrictApplied(query, { rows, rewrite: mask }), salesMapping)).toEqual([
      '{"Sum":5,"N":7}',
    ]);
  });
});
