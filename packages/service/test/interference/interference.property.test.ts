import { describe, expect, test } from "vitest";
import { findLeak, openSides } from "./check.ts";
import { engines } from "./engines.ts";

/** `CASES=5000` runs more cases, `SEED=1` repeats the same ones. */
const { CASES, SEED } = process.env;
const numRuns = Number(CASES ?? 5);
const parameters = SEED === undefined ? { numRuns } : { numRuns, seed: Number(SEED) };

describe("an answer is a function of what is granted alone", () => {
  test.each(Object.entries(engines))(
    "in a service over %s",
    async (_, start) => {
      const { sides, close } = await openSides(await start());
      expect(await findLeak(sides, parameters)).toBeUndefined();
      await close();
    },
    120_000 + numRuns * 4000,
  );
});
