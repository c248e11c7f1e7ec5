import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type AppliedForm,
  type AppliedQuery,
  bindApplied,
  bindApply,
  compileAppliedPage,
  parseApply,
} from "../../src/apply/index.ts";
import {
  type CompiledSql,
  type EntitySet,
  type Mapping,
  parseFilter,
  parseOrderBy,
  QueryError,
  type Row,
  tableMapping,
} from "../../src/index.ts";
import type { Dialect } from "../../src/run/index.ts";
import { hasPostgres } from "../../src/testing/postgres.ts";
import { evaluatedResult, selectedCount, selectedRecords } from "../support/applied-results.ts";
import { type EntityTexts, PipelineGenerator } from "../support/apply-arbitraries.ts";
import { openPostgresApply, openSqliteApply } from "../support/apply-engines.ts";
import { computed, filterTexts, orderByTexts } from "../support/arbitraries.ts";
import { houses, linked } from "../support/estate.ts";
import { estateFilters, estateOrders, estates } from "../support/estate-arbitraries.ts";
import { contents, createTables, housesMapping, tableNames } from "../support/estate-tables.ts";
import { listing, rows as listingRows } from "../support/listing.ts";
import { createPostgresTable } from "../support/postgres-table.ts";
import { mapping as sqliteListings } from "../support/sqlite.ts";
import { createSqliteTable } from "../support/sqlite-table.ts";

/** `CASES=5000` for more, `SEED=1` for the same ones again. */
const { CASES, SEED } = process.env;
const perData = 10;
const numRuns = Math.ceil(Number(CASES ?? 60) / perData);
// Shrinking would repeat some thousand queries; the message shows the failed one.
const always = { numRuns, endOnFailure: true };
const parameters = SEED === undefined ? always : { ...always, seed: Number(SEED) };
const options = { timeout: 120_000 + numRuns * 5000 };

const form: AppliedForm = { nulls: true, ieee754: false, annotated: "all" };

const sqlite = openSqliteApply();
const postgres = hasPostgres ? await openPostgresApply() : undefined;
if (postgres === undefined) console.warn("PostgreSQL is left out: no server is installed");

type Engine = {
  readonly name: string;
  readonly dialect: Dialect;
  readonly run: (compiled: CompiledSql) => Promise<readonly Row[]>;
  /** Runs a statement with every digit of an integer. */
  readonly runExactly: (compiled: CompiledSql) => Promise<readonly Row[]>;
  readonly mapping: (entitySet: EntitySet) => Mapping;
};

const engines: Engine[] = [
  {
    name: "SQLite",
    dialect: sqlite.dialect,
    run: sqlite.run,
    runExactly: async ({ text, values }) =>
      sqlite.database
        .prepare(text)
        .safeIntegers()
        .all(...values) as Row[],
    mapping: (entitySet) => (entitySet === listing ? sqliteListings : housesMapping),
  },
  ...(postgres === undefined
    ? []
    : [
        {
          name: "PostgreSQL",
          dialect: postgres.dialect,
          run: postgres.run,
          runExactly: postgres.run,
          mapping: (entitySet: EntitySet) =>
            entitySet === listing ? tableMapping("property") : housesMapping,
        },
      ]),
];

beforeAll(async () => {
  for (const statement of createTables("text")) await sqlite.execute(statement);
  for (const statement of createTables("jsonb")) await postgres?.execute(statement);
}, 120_000);
afterAll(async () => {
  await sqlite.close();
  await postgres?.close();
});

/** Reads the result in pages of `size`, each after the last record of the one before. */
async function walk(engine: Engine, applied: AppliedQuery, entitySet: EntitySet, size: number) {
  const { query } = applied;
  const records: string[] = [];
  let after: readonly unknown[] | null = null;
  for (let pages = 0; pages < 40; pages += 1) {
    const one: AppliedQuery = { ...applied, query: { ...query, top: size, skip: 0, after } };
    const page = await selectedRecords(engine, one, engine.mapping(entitySet), form);
    records.push(...page);
    if (page.length < size) break;
    const statement = compileAppliedPage(one, engine.dialect, engine.mapping(entitySet));
    const last = (await engine.runExactly(statement)).at(-1);
    after = query.orderBy.map((_, i) => last?.[`order${i}`] ?? null);
    if (after.length === 0) break;
  }
  return records;
}

type Case = { readonly entitySet: EntitySet; readonly texts: EntityTexts; readonly rows: readonly Row[] };

const tally = { cases: 0, groups: 0, concats: 0, records: 0 };

async function check(gen: fc.GeneratorValue, { entitySet, texts, rows }: Case): Promise<void> {
  const generator = new PipelineGenerator(gen, entitySet, texts);
  const text = generator.sequence();
  const over = generator.textsAfter(text);
  const filter = gen(() => fc.option(over.filter, { nil: undefined }));
  const orderBy = gen(() => fc.option(over.orderBy, { nil: undefined }));
  const size = gen(() => fc.integer({ min: 1, max: 4 }));
  const shown = `${text} & $filter=${filter} & $orderby=${orderBy}`;
  const applied = boundOf(text, filter, orderBy, entitySet);
  if (applied === undefined) return;
  const expected = evaluatedResult(applied, rows, form);
  tally.cases += 1;
  tally.records += expected.count;
  if (text.includes("groupby")) tally.groups += 1;
  if (text.includes("concat(")) tally.concats += 1;
  for (const engine of engines) {
    const mapping = engine.mapping(entitySet);
    const records = await selectedRecords(engine, applied, mapping, form);
    expect([engine.name, records], shown).toEqual([engine.name, expected.records]);
    expect(await selectedCount(engine, applied, mapping), shown).toBe(expected.count);
    expect([engine.name, await walk(engine, applied, entitySet, size)], shown).toEqual([
      engine.name,
      expected.records,
    ]);
  }
}

/** Refusals of queries that may arise: of complex ones, and of `''` where a value is of an enumeration. */
const refusals: ReadonlySet<string> = new Set(["query_too_complex", "invalid_literal"]);

/** Binds a query; undefined if it is refused. */
function boundOf(
  text: string,
  filter: string | undefined,
  orderBy: string | undefined,
  entitySet: EntitySet,
) {
  try {
    return bindApplied(bindApply(parseApply(text), entitySet), {
      filter: filter === undefined ? undefined : parseFilter(filter),
      orderBy: orderBy === undefined ? undefined : parseOrderBy(orderBy),
      top: 1000,
    });
  } catch (error) {
    if (error instanceof QueryError && refusals.has(error.code)) return undefined;
    throw error;
  }
}

/** Rows whose properties have values of the test listings, so that some are equal. */
const mixedListings = fc
  .array(
    fc.record(
      Object.fromEntries(
        [...listing.type.properties.values()]
          .filter(({ name }) => name !== "ListingKey")
          .map(({ name, collection, nullable }) => {
            const values = listingRows.map((row) => row[name] ?? null).filter((one) => one !== null);
            const few = fc.constantFrom(...values.slice(0, 3), ...values);
            const isOptional = nullable && !collection;
            return [name, isOptional ? fc.option(few, { freq: 3, nil: null }) : few];
          }),
      ),
    ),
    { maxLength: 9 },
  )
  .map((all) => all.map((row, i): Row => ({ ...row, ListingKey: `k${i}` })));

async function loadListings(rows: readonly Row[]): Promise<void> {
  const properties = [...listing.type.properties.values()];
  await sqlite.execute(`drop table if exists "property"`);
  createSqliteTable(sqlite.database, "property", properties, rows, sqliteListings);
  if (postgres === undefined) return;
  await postgres.execute(`drop table if exists "property"`);
  if (rows.length > 0) await createPostgresTable(postgres.pool, "property", properties, rows);
  else {
    await createPostgresTable(postgres.pool, "property", properties, listingRows.slice(0, 1));
    await postgres.execute(`truncate "property"`);
  }
}

async function loadEstate(estate: Parameters<typeof contents>[0]): Promise<void> {
  for (const table of tableNames) {
    await sqlite.execute(`delete from "${table}"`);
    await postgres?.execute(`truncate "${table}"`);
  }
  for (const [table, rows] of Object.entries(contents(estate))) {
    for (const row of rows) {
      const values = Object.values(row).map((one) =>
        typeof one === "object" && one !== null ? JSON.stringify(one) : one,
      );
      await sqlite.execute(`insert into "${table}" values (${values.map(() => "?").join(", ")})`, values);
    }
    const statement = `insert into "${table}" select * from json_populate_recordset(null::"${table}", $1)`;
    await postgres?.execute(statement, [JSON.stringify(rows)]);
  }
}

const sortable = [...listing.type.properties.values()].filter(
  ({ type, collection }) => !collection && !type.startsWith("Edm.Geo") && type !== "Edm.Binary",
);
const listingTexts: EntityTexts = {
  filter: fc.oneof(
    fc.constantFrom("true", "City ne null", "BedroomsTotal ne 3", "not WaterfrontYN"),
    filterTexts,
  ),
  orderBy: orderByTexts,
  number: computed.number,
  value: fc.oneof(
    fc.constantFrom(...sortable.filter(({ enumType }) => enumType === undefined).map(({ name }) => name)),
    ...Object.values(computed),
  ),
  key: fc.constantFrom(...sortable.map(({ name }) => name)),
};

const housePaths = [
  "Key",
  "Name",
  "Area",
  "Fee",
  "Built",
  "Office/Name",
  "Office/Fee",
  "Office/Broker/Age",
  "Parent/Area",
  "Parent/Office/Name",
  "Address/City",
  "Address/Number",
  "Address/Agent/Age",
  "Detail/Name",
  "Detail/Area",
  "Detail/Built",
  "Detail/Inner/Name",
];
const houseNumbers = fc.constantFrom(
  "Area",
  "Fee",
  "Office/Fee",
  "Parent/Fee mul 2",
  "Address/Number",
  "Detail/Area",
  "Rooms/$count",
  "Area add Office/Broker/Age",
  "Fee divby Area",
);
const houseTexts: EntityTexts = {
  filter: fc.oneof(fc.constantFrom("true", "Area ne 2", "Office/Name ne 'a'"), estateFilters),
  orderBy: estateOrders,
  number: houseNumbers,
  value: fc.oneof(houseNumbers, fc.constantFrom(...housePaths)),
  key: fc.constantFrom(...housePaths),
};

describe("memory, SQLite and PostgreSQL agree on `$apply`", () => {
  test("over values of every type", options, async () => {
    await fc.assert(
      fc.asyncProperty(mixedListings, fc.gen(), async (rows, gen) => {
        await loadListings(rows);
        for (let i = 0; i < perData; i += 1)
          await check(gen, { entitySet: listing, texts: listingTexts, rows });
      }),
      parameters,
    );
  });

  test("over related entities and complex values", options, async () => {
    await fc.assert(
      fc.asyncProperty(estates, fc.gen(), async (estate, gen) => {
        await loadEstate(estate);
        const rows = linked(estate);
        for (let i = 0; i < perData; i += 1) await check(gen, { entitySet: houses, texts: houseTexts, rows });
      }),
      parameters,
    );
  });

  test("and most cases mean something", () => {
    expect(tally.groups).toBeGreaterThan(tally.cases / 4);
    expect(tally.concats).toBeGreaterThan(tally.cases / 50);
    expect(tally.records).toBeGreaterThan(tally.cases / 2);
  });
});
