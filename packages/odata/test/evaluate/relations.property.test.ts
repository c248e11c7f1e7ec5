import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { expandRow } from "../../src/compile/index.ts";
import {
  bindExpand,
  bindQuery,
  compareRows,
  compilePage,
  defaultLimits,
  expandRows,
  matches,
  parseCompute,
  parseExpand,
  parseFilter,
  parseOrderBy,
  parseSelect,
  QueryError,
  type Row,
} from "../../src/index.ts";
import { hasPostgres } from "../../src/testing/postgres.ts";
import { houses, linked } from "../support/estate.ts";
import { estateExpands, estateFilters, estateOrders, estates } from "../support/estate-arbitraries.ts";
import { openPostgresEstate, openSqliteEstate } from "../support/estate-engines.ts";
import { housesMapping } from "../support/estate-tables.ts";

const engines = {
  SQLite: openSqliteEstate(),
  PostgreSQL: hasPostgres ? await openPostgresEstate() : undefined,
};

afterAll(async () => {
  for (const engine of Object.values(engines)) await engine?.close();
});

/** `CASES=5000` for more, `SEED=1` for the same ones again. */
const { CASES, SEED } = process.env;
const perEstate = 20;
const numRuns = Math.ceil(Number(CASES ?? 25) / perEstate);
const parameters = SEED === undefined ? { numRuns } : { numRuns, seed: Number(SEED) };
const options = { timeout: 120_000 + numRuns * 4000 };

const limits = { ...defaultLimits, lambdaDepth: 6 };
const bindItems = (text: string) =>
  bindExpand(parseExpand(text, limits), houses, { entitySetOf: ({ name }) => `${name}s` });

/** True unless an item costs too many queries, which `$levels=max` inside several levels does. */
function isAffordable(text: string): boolean {
  try {
    bindItems(text);
    return true;
  } catch (error) {
    if (error instanceof QueryError && error.code === "query_too_complex") return false;
    throw error;
  }
}

const keysOf = (rows: readonly Row[]) => rows.map((row) => row["Key"]);

const computations = fc.record({
  compute: fc
    .tuple(
      fc.constantFrom("Fee divby 4", "Area add 1", "Office/Fee mul 2.5"),
      fc.constantFrom("Office/Broker/Name", "concat(Name,Office/Name)", "Rooms/$count", "Built"),
      fc.constantFrom("Half sub 1", "Half", "Key mod 2"),
    )
    .map(([half, far, more]) => `${half} as Half,${far} as Far,${more} as More`),
  filter: fc.constantFrom("Half gt 0", "not (Half gt 1)", "$it/Half ne null", "Rooms/any(r:r/Area lt Half)"),
  orderBy: fc.constantFrom("Half desc", "Far,More desc", "More,Half"),
});

describe.each(Object.entries(engines))("%s agrees with memory about what is related", (_, engine) => {
  if (engine === undefined) return test.skip("no server is installed");
  const several = <T>(text: fc.Arbitrary<T>) =>
    fc.array(text, { minLength: perEstate, maxLength: perEstate });

  test("on the rows of every filter", options, async () => {
    await fc.assert(
      fc.asyncProperty(estates, several(estateFilters), async (estate, texts) => {
        await engine.load(estate);
        const rows = linked(estate);
        for (const text of texts) {
          const query = bindQuery({ filter: parseFilter(text, limits), top: 100 }, houses);
          const expected = rows
            .filter((row) => matches(query.filter, row))
            .toSorted((a, b) => compareRows(query.orderBy, a, b));
          const found = await engine.run(compilePage(query, engine.dialect, housesMapping));
          expect(keysOf(found), text).toEqual(keysOf(expected));
        }
      }),
      parameters,
    );
  });

  test("on every order", options, async () => {
    await fc.assert(
      fc.asyncProperty(estates, several(estateOrders), async (estate, texts) => {
        await engine.load(estate);
        const rows = linked(estate);
        for (const text of texts) {
          const query = bindQuery({ orderBy: parseOrderBy(text), top: 100 }, houses);
          const expected = rows.toSorted((a, b) => compareRows(query.orderBy, a, b));
          const found = await engine.run(compilePage(query, engine.dialect, housesMapping));
          expect(keysOf(found), text).toEqual(keysOf(expected));
        }
      }),
      parameters,
    );
  });

  test("on every `$expand`", options, async () => {
    await fc.assert(
      fc.asyncProperty(estates, several(estateExpands.filter(isAffordable)), async (estate, texts) => {
        await engine.load(estate);
        const { dialect, run } = engine;
        const rows = linked(estate).toSorted((a, b) => Number(a["Key"]) - Number(b["Key"]));
        const query = bindQuery({ top: 100 }, houses);
        const page = await run(compilePage(query, dialect, housesMapping, { key: true }));
        for (const text of texts) {
          const expand = bindItems(text);
          const expected = rows.map((row) => expandRow(row, query.select, expand));
          const source = { entitySet: houses, mapping: housesMapping, dialect, run };
          expect(await expandRows(page, expand, source), text).toEqual(expected);
        }
      }),
      parameters,
    );
  });

  test("on every `$select` of complex values", options, async () => {
    const paths = fc.subarray(
      [
        "Key",
        "Name",
        "Address",
        "Address/City",
        "Address/Number",
        "Detail/Area",
        "Detail/Fee",
        "Detail/Built",
        "Detail/Tags",
        "Detail/Inner/Area",
        "Detail/Inner/Inner/Name",
        "Any.House/Address/Any.Address/City",
      ],
      { minLength: 1 },
    );
    await fc.assert(
      fc.asyncProperty(estates, several(paths), async (estate, texts) => {
        await engine.load(estate);
        const { dialect, run } = engine;
        const rows = linked(estate).toSorted((a, b) => Number(a["Key"]) - Number(b["Key"]));
        for (const text of texts.map((names) => names.join())) {
          const query = bindQuery({ select: parseSelect(text), top: 100 }, houses);
          const expected = rows.map((row) => expandRow(row, query.select, []));
          const page = await run(compilePage(query, dialect, housesMapping, { key: true }));
          const source = { entitySet: houses, mapping: housesMapping, dialect, run };
          expect(await expandRows(page, [], source), text).toEqual(expected);
        }
      }),
      parameters,
    );
  });

  test("on every order and filter by what is computed", options, async () => {
    await fc.assert(
      fc.asyncProperty(estates, several(computations), async (estate, texts) => {
        await engine.load(estate);
        const rows = linked(estate);
        for (const { compute, filter, orderBy } of texts) {
          const parts = {
            compute: parseCompute(compute),
            filter: parseFilter(filter),
            orderBy: parseOrderBy(orderBy),
            select: parseSelect("Key,Half,Far,More"),
            top: 100,
          };
          const query = bindQuery(parts, houses);
          const expected = rows
            .filter((row) => matches(query.filter, row))
            .toSorted((a, b) => compareRows(query.orderBy, a, b))
            .map((row) => expandRow(row, query.select, []));
          const found = await engine.run(compilePage(query, engine.dialect, housesMapping));
          expect(found, `${compute} & ${filter} & ${orderBy}`).toEqual(expected);
        }
      }),
      parameters,
    );
  });
});
