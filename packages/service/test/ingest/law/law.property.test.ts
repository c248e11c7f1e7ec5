import { afterAll, beforeAll, expect, test } from "vitest";
import { type LawEngine, openEngines } from "./engines.ts";
import { batchSize, checkLaw } from "./law.ts";

/** `CASES=100000` records for more, `SEED=1` for the same ones again. */
const { CASES, SEED } = process.env;
const batches = Math.ceil(Number(CASES ?? batchSize) / batchSize);
const firstSeed = Number(SEED ?? Math.floor(Math.random() * 2 ** 31));

let engines: readonly LawEngine[];
beforeAll(async () => {
  engines = await openEngines();
}, 60_000);
afterAll(() => Promise.all(engines.map(({ close }) => close())));

test(
  "every stored value is found by `eq`, in its order, and is one of `$metadata`",
  async () => {
    for (let seed = firstSeed; seed < firstSeed + batches; seed++) {
      const { staged, checks, contradictions } = await checkLaw(engines, seed);
      expect(contradictions).toEqual([]);
      // The records are not all rejected.
      expect(staged).toBeGreaterThan(batchSize / 4);
      expect(checks).toBeGreaterThan(20);
    }
  },
  60_000 + batches * 60_000,
);
