import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type AppliedForm,
  appliedRecords,
  bindApplied,
  bindApply,
  compileAppliedPage,
  evaluateApply,
  evaluatedRecords,
  parseApply,
} from "../../src/apply/index.ts";
import { type EntitySet, type Row, sqlite, tableMapping } from "../../src/index.ts";
import { hasPostgres } from "../../src/testing/postgres.ts";
import { openPostgresApply, openSqliteApply } from "../support/apply-engines.ts";
import { createPostgresTable } from "../support/postgres-table.ts";
import { createSqliteTable } from "../support/sqlite-table.ts";

const properties = [
  { name: "Key", type: "Edm.Int32", collection: false, nullable: false },
  { name: "Double", type: "Edm.Double", collection: false, nullable: true },
  { name: "Single", type: "Edm.Single", collection: false, nullable: true },
  { name: "Cents", type: "Edm.Decimal", collection: false, nullable: true, precision: 19, scale: 2 },
  { name: "Long", type: "Edm.Int64", collection: false, nullable: true },
] as const;
const numbers: EntitySet = {
  name: "numbers",
  type: { name: "Number", key: ["Key"], properties: new Map(properties.map((one) => [one.name, one])) },
};
const form: AppliedForm = { nulls: true, ieee754: false, annotated: "none" };
const table = tableMapping("numbers");
const mappings = {
  sqlite: {
    ...table,
    column: (property: (typeof properties)[number]) => ({
      ...table.column(property),
      encoding: property.name === "Cents" ? "scaled" : sqlite.columnEncodings[property.type],
    }),
  } as typeof table,
  postgres: table,
};

const sqliteEngine = openSqliteApply();
let postgresEngine: Awaited<ReturnType<typeof openPostgresApply>> | undefined;
beforeAll(async () => {
  if (hasPostgres) postgresEngine = await openPostgresApply();
}, 120_000);
afterAll(async () => {
  await sqliteEngine.close();
  await postgresEngine?.close();
});

/** Returns the records of memory, SQLite and PostgreSQL. */
async function records(apply: string, values: readonly Row[]): Promise<readonly (readonly string[])[]> {
  const rows = values.map((row, Key) => ({ Key, ...row }));
  const applied = bindApplied(bindApply(parseApply(apply), numbers), { top: 10 });
  await sqliteEngine.execute(`drop table if exists "numbers"`);
  createSqliteTable(sqliteEngine.database, "numbers", properties, rows, mappings.sqlite);
  const memory = evaluatedRecords(evaluateApply(applied.apply, rows), applied, form);
  const fromSqlite = await sqliteEngine.run(
    compileAppliedPage(applied, sqliteEngine.dialect, mappings.sqlite),
  );
  const found = [memory, appliedRecords(fromSqlite, applied, form)];
  if (postgresEngine !== undefined) {
    await postgresEngine.execute(`drop table if exists "numbers"`);
    await createPostgresTable(postgresEngine.pool, "numbers", properties, rows);
    const { dialect, run } = postgresEngine;
    found.push(
      appliedRecords(await run(compileAppliedPage(applied, dialect, mappings.postgres)), applied, form),
    );
  }
  return found;
}

const sumAndMean = (name: string) => `aggregate(${name} with sum as Sum,${name} with average as Mean)`;
const named = (name: string, values: readonly unknown[]): readonly Row[] =>
  values.map((value) => ({ [name]: value }));

describe("a sum is exact on every engine", () => {
  test.each([
    // As doubles, one after the other: 0.6000000000000001.
    ["Double", [0.1, 0.2, 0.3], '{"Sum":0.6,"Mean":0.19999999999999998}'],
    ["Double", [1e308, 1e308, -1e308], '{"Sum":1e+308,"Mean":3.333333333333333e+307}'],
    ["Double", [1, 1e100, 1, -1e100], '{"Sum":2,"Mean":0.5}'],
    ["Double", [1e308, 1e308], '{"Sum":"INF","Mean":"INF"}'],
    ["Double", ["INF", 1, null], '{"Sum":"INF","Mean":"INF"}'],
    ["Double", ["INF", "-INF"], '{"Sum":null,"Mean":null}'],
    ["Double", [5e-324, 5e-324], '{"Sum":1e-323,"Mean":5e-324}'],
    // The singles are 0.10000000149011612 and 0.20000000298023224 as doubles.
    ["Single", [0.1, 0.2], '{"Sum":0.30000000447034836,"Mean":0.15000000223517418}'],
    ["Cents", ["0.1", "0.2", "0.3"], '{"Sum":0.6,"Mean":0.2}'],
    ["Cents", ["9999999999999999.99", "0.01", "-10000000000000000"], '{"Sum":0,"Mean":0}'],
    ["Cents", ["0.01", "0.01", "0"], '{"Sum":0.02,"Mean":0.00666666666666666666}'],
    ["Cents", ["-0.01", "-0.01", "0"], '{"Sum":-0.02,"Mean":-0.00666666666666666666}'],
    [
      "Long",
      ["9223372036854775807", "9223372036854775807", null],
      '{"Sum":18446744073709551614,"Mean":9223372036854775807}',
    ],
    ["Long", [null], '{"Sum":null,"Mean":null}'],
    ["Long", [], '{"Sum":null,"Mean":null}'],
  ])("%s %j", async (name, values, expected) => {
    for (const found of await records(sumAndMean(name), named(name, values)))
      expect(found).toEqual([expected]);
  });

  test("in any order of the rows", async () => {
    const double = fc.oneof(
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.constantFrom(0.1, 1e300, -1e300),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(double, { minLength: 1, maxLength: 6 }), async (values) => {
        const [first, ...others] = [
          ...(await records(sumAndMean("Double"), named("Double", values))),
          ...(await records(sumAndMean("Double"), named("Double", values.toReversed()))),
        ];
        for (const other of others) expect(other).toEqual(first);
      }),
      { numRuns: 20 },
    );
  });
});
