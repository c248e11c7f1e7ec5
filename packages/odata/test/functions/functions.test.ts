import type pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { functionTable } from "../../src/functions/index.ts";
import { postgresHelpers } from "../../src/postgres/helpers.ts";
import { hasPostgres, type PostgresServer, startPostgres } from "../../src/testing/postgres.ts";
import { inMemory, inPostgres, inSqlite } from "./engines.ts";

const entries = [...functionTable.values()].flat();
const examples = [
  ...new Map(entries.flatMap((entry) => entry.examples).map((one) => [one[0], one])).values(),
];

describe("in memory", () => {
  test.each(examples)("%s is %j", (text, expected) => {
    expect(inMemory(text)).toStrictEqual(expected);
  });
});

describe("in SQLite", () => {
  test.each(examples)("%s is %j", (text, expected) => {
    expect(inSqlite(text)).toStrictEqual(expected);
  });
});

describe.skipIf(!hasPostgres)("in PostgreSQL (skipped where none is installed)", () => {
  let server: PostgresServer;
  let pool: pg.Pool;

  beforeAll(async () => {
    server = await startPostgres();
    pool = server.connect();
    for (const helper of postgresHelpers()) await pool.query(helper);
  });

  afterAll(async () => {
    await pool?.end();
    await server?.stop();
  });

  test.each(examples)("%s is %j", async (text, expected) => {
    expect(await inPostgres(text, pool)).toStrictEqual(expected);
  });
});

test("every function has its section of the standard and at least three examples", () => {
  for (const entry of entries) {
    expect(entry.source, entry.name).toMatch(/^OData 4\.01 URL Conventions 5\.1\.1\.\d+\.\d+$/);
    expect(entry.examples.length, entry.name).toBeGreaterThanOrEqual(3);
  }
});

test("a template names each argument once, so that nested calls stay as long as they are", () => {
  for (const entry of entries) {
    for (const template of [entry.sqlite, entry.postgres]) {
      const args = entry.params.map((_, i) => ({ parts: [`«${i}»`] }) as never);
      const text = template === undefined ? "" : JSON.stringify(template(args));
      for (const i of entry.params.keys()) expect(text.split(`«${i}»`).length, text).toBeLessThanOrEqual(2);
    }
  }
});

test("the table has every canonical function of the standard", () => {
  expect([...functionTable.keys()].toSorted()).toStrictEqual(
    [
      ["concat", "contains", "endswith", "indexof", "length", "startswith", "substring"],
      ["hassubset", "hassubsequence", "matchespattern", "tolower", "toupper", "trim"],
      ["date", "day", "fractionalseconds", "hour", "maxdatetime", "mindatetime", "minute", "month", "second"],
      ["time", "totaloffsetminutes", "totalseconds", "year", "ceiling", "floor", "round"],
      ["geo.distance", "geo.intersects", "geo.length"],
    ]
      .flat()
      .toSorted(),
  );
});
