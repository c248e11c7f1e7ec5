import fc from "fast-check";
import { afterAll, beforeAll, describe, test } from "vitest";
import { cases } from "./cases.ts";
import { compareSides, report } from "./compare-sides.ts";
import { type Engine, engines } from "./engines.ts";
import { openSide, type Side } from "./side.ts";

/** `CASES=5000` for more, `SEED=1` for the same ones again. */
const { CASES, SEED } = process.env;
const numRuns = Number(CASES ?? 50);
const parameters = SEED === undefined ? { numRuns } : { numRuns, seed: Number(SEED) };

describe.each(Object.entries(engines))("%s", (_, start) => {
  let engine: Engine;
  let sides: readonly [Side, Side];
  beforeAll(async () => {
    engine = await start();
    sides = [await openSide(await engine.open("first")), await openSide(await engine.open("second"))];
  });
  afterAll(async () => {
    for (const side of sides) await side.stop();
    await engine.close();
  });

  test(
    "tells of nothing but what is granted",
    async () => {
      const property = fc.asyncProperty(cases, (given) => compareSides(sides, given));
      await fc.assert(property, {
        ...parameters,
        reporter: (details) => {
          if (details.failed) throw new Error(report(details));
        },
      });
    },
    60_000 + numRuns * 2000,
  );
});
