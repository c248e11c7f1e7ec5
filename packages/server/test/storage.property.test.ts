import { hasPostgres, type PostgresServer, startPostgres } from "@cadastre/odata/testing";
import Database from "better-sqlite3";
import fc from "fast-check";
import type pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { fetchOdata } from "../src/fetch/index.ts";
import { unrestricted } from "../src/index.ts";
import { arraySource } from "../src/memory/index.ts";
import {
  type DecimalStorage,
  decimal,
  entitySet,
  type InstantStorage,
  instant,
  integer,
} from "../src/model/index.ts";
import { postgresSource, preparePostgres } from "../src/pg/index.ts";
import type { SourceMaker } from "../src/source/sql-source.ts";
import { sqliteSource } from "../src/sqlite/index.ts";
import { testPool } from "./support/test-pool.ts";

/** Instants that every storage has exactly, before and after 1970. */
const seconds = [-62_135_596_799, -1_000_000_007, -1, 0, 1, 951_782_400, 1_772_354_400, 253_402_300_799];
const iso = (second: number): string => new Date(second * 1000).toISOString();

/** Value of a column for each storage of an instant. */
const columns: Readonly<Record<InstantStorage, (second: number) => string | number>> = {
  "iso-text": iso,
  "iso-text-seconds": (second) => iso(second).replace(".000Z", "Z"),
  milliseconds: (second) => second * 1000,
  seconds: (second) => second,
};
const storages = Object.keys(columns) as InstantStorage[];

const setOf = (storage: InstantStorage, ofDecimals: DecimalStorage) =>
  entitySet("Event", {
    key: { Id: integer() },
    properties: { At: instant(storage).nullable(), Price: decimal(14, 2, ofDecimals).nullable() },
  });

const prices = [-0.01, 0, 0.1, 1.1, 123_456_789.99, 99.5, 100, 1e9];
const rows = [
  ...seconds.map((second, i) => ({ Id: i, At: iso(second), Price: prices[i] })),
  { Id: 99, At: null, Price: null },
];

function statementsFor(storage: InstantStorage, isScaled: boolean, postgres: boolean): readonly string[] {
  const atType = typeof columns[storage](0) === "number" ? "bigint" : "text";
  return [
    `create table "Event" ("Id" integer primary key, "At" ${atType}, "Price" ${isScaled ? "bigint" : postgres ? "float8" : "real"})`,
    ...seconds.map((second, i) => {
      const at = columns[storage](second);
      const price = isScaled ? Math.round((prices[i] ?? 0) * 100) : (prices[i] ?? 0);
      return `insert into "Event" values (${i}, ${typeof at === "number" ? at : `'${at}'`}, ${price})`;
    }),
    `insert into "Event" values (99, null, null)`,
  ];
}

type Case = {
  readonly name: string;
  readonly source: SourceMaker;
  readonly storage: InstantStorage;
  readonly decimals: DecimalStorage;
};
const cases: Case[] = [];
let server: PostgresServer | undefined;
const pools: pg.Pool[] = [];

beforeAll(async () => {
  if (hasPostgres) server = await startPostgres();
  for (const [i, storage] of storages.entries()) {
    const decimals = i % 2 === 0 ? "scaled-integer" : "double";
    const database = new Database(":memory:");
    for (const statement of statementsFor(storage, decimals === "scaled-integer", false))
      database.exec(statement);
    cases.push({ name: `SQLite, ${storage}`, source: sqliteSource(database), storage, decimals });
    if (server === undefined) continue;
    const schema = `s${i}`;
    const admin = testPool({ connectionString: server.url });
    await admin.query(`create schema ${schema}`);
    await admin.end();
    const pool = testPool({ connectionString: server.url, options: `-c search_path=${schema}` });
    pools.push(pool);
    await preparePostgres(pool);
    for (const statement of statementsFor(storage, decimals === "scaled-integer", true))
      await pool.query(statement);
    cases.push({ name: `PostgreSQL, ${storage}`, source: postgresSource(pool), storage, decimals });
  }
}, 60_000);
afterAll(async () => {
  for (const pool of pools) await pool.end();
  await server?.stop();
});

const moment = fc
  .tuple(
    fc.constantFrom(...seconds),
    fc.constantFrom(0, 0, 1, -1),
    fc.constantFrom("", "", ".5", ".000001", ".999"),
  )
  .map(([second, shift, fraction]) => {
    const text = iso(Math.min(Math.max(second + shift, -62_135_596_799), 253_402_300_799));
    return text.replace(".000Z", `${fraction}Z`);
  });
const price = fc.constantFrom(
  "0.1",
  "1.1",
  "1.1000000000000000000001",
  "100",
  "99.499999",
  "-0.01",
  "1e9",
  "0",
);
const comparator = fc.constantFrom("eq", "ne", "gt", "ge", "lt", "le");
const filter = fc.oneof(
  fc.tuple(comparator, moment).map(([operator, at]) => `At ${operator} ${at}`),
  fc.tuple(comparator, price).map(([operator, amount]) => `Price ${operator} ${amount}`),
  fc.tuple(moment, moment).map(([a, b]) => `At in (${a},${b})`),
  fc
    .tuple(comparator, fc.constantFrom("year", "month", "second", "date"))
    .map(([operator, name]) =>
      name === "date" ? `date(At) ${operator} 2000-02-29` : `${name}(At) ${operator} 2000`,
    ),
  fc.tuple(comparator, moment).map(([operator, at]) => `At add duration'PT1.5S' ${operator} ${at}`),
  fc.constantFrom(
    "At eq null",
    "fractionalseconds(At) eq 0",
    "Price div 3 gt 33",
    "At sub 2000-02-29T00:00:00Z gt duration'P1D'",
  ),
);
const order = fc.constantFrom("At", "At desc", "Price,At", "Price desc", "year(At) desc,Price");

test("however instants and decimals are stored, a query gives the records and the bytes that arrays give", async () => {
  await fc.assert(
    fc.asyncProperty(filter, order, fc.boolean(), async (text, by, isNegated) => {
      const condition = isNegated ? `not (${text})` : text;
      const query = `$filter=${encodeURIComponent(condition)}&$orderby=${encodeURIComponent(by)}&$compute=${encodeURIComponent("At add duration'PT1S' as Later,Price mul 2 as Twice")}`;
      for (const { name, source, storage, decimals } of cases) {
        const ask = async (from: SourceMaker) => {
          const handler = fetchOdata("/odata", {
            namespace: "Test",
            entitySets: [setOf(storage, decimals)],
            source: from,
            restrict: unrestricted,
          });
          return (await handler(new Request(`https://test.example/odata/Event?${query}`))).text();
        };
        expect([name, condition, await ask(source)]).toEqual([
          name,
          condition,
          await ask(arraySource({ Event: rows })),
        ]);
      }
    }),
    { numRuns: Number(process.env["CASES"] ?? 60) },
  );
}, 120_000);

test("SQLite wants to know how instants and decimals are stored", () => {
  const unstated = entitySet("Event", { key: { Id: integer() }, properties: { At: instant() } });
  expect(() =>
    fetchOdata("/odata", {
      namespace: "Test",
      entitySets: [unstated],
      source: sqliteSource(new Database(":memory:")),
      restrict: unrestricted,
    }),
  ).toThrow(
    /`Event\/At`: SQLite has no Edm.DateTimeOffset: state how it is stored, as instant\("iso-text"\)/,
  );
});
