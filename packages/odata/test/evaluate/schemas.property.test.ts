import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { openDatabases } from "../support/databases.ts";
import { cases, disagreementOf } from "../support/schemas.ts";

const databases = await openDatabases();
afterAll(() => Promise.all(databases.map((database) => database.close())));

/** `CASES=5000` for more, `SEED=1` for the same ones again. A schema is asked several queries. */
const { CASES, SEED } = process.env;
const numRuns = Math.ceil(Number(CASES ?? 25) / 4);
const parameters = SEED === undefined ? { numRuns } : { numRuns, seed: Number(SEED) };

describe.each(databases)("$dialect.name agrees with memory", (database) => {
  test("on random schemas, rows and queries", { timeout: 120_000 + numRuns * 1000 }, async () => {
    await fc.assert(
      fc.asyncProperty(cases, async (one) => {
        expect(await disagreementOf(one, database)).toBeUndefined();
      }),
      parameters,
    );
  });
});
