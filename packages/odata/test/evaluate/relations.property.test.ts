import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import {
  bindQuery,
  compareRows,
  compilePage,
  defaultLimits,
  matches,
  parseFilter,
  parseOrderBy,
  type Row,
} from "../../src/index.ts";
import { houses, linked } from "../support/estate.ts";
import { estateFilters, estateOrders, estates } from "../support/estate-arbitraries.ts";
import { openPostgresEstate, openSqliteEstate } from "../support/estate-engines.ts";
import { housesMapping } from "../support/estate-tables.ts";
import { hasPostgres } from "../support/postgres.ts";

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
const numRuns = Math.ceil(Number(CASES ?? 200) / perEstate);
const parameters = SEED === undefined ? { numRuns } : { numRuns, seed: Number(SEED) };
const options = { timeout: 60_000 + numRuns * 4000 };

const limits = { ...defaultLimits, lambdaDepth: 6 };
const keysOf = (rows: readonly Row[]) => rows.map((row) => row["Key"]);

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
          const found = await engine.run(compilePage(query, engine.dialect, housesMapping, {}));
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
          const found = await engine.run(compilePage(query, engine.dialect, housesMapping, {}));
          expect(keysOf(found), text).toEqual(keysOf(expected));
        }
      }),
      parameters,
    );
  });
});
