import fc from "fast-check";
import { describe, test } from "vitest";
import { engines } from "../interference/engines.ts";
import { anyGrants } from "../interference/grants.ts";
import { openFollowed } from "./followed-store.ts";
import { historiesUnder } from "./histories.ts";

/** `CASES=1000` runs more cases, `SEED=1` repeats the same ones. */
const { CASES, SEED } = process.env;
const numRuns = Number(CASES ?? 10);
const parameters = SEED === undefined ? { numRuns } : { numRuns, seed: Number(SEED) };

describe.each(Object.entries(engines).filter(([name]) => name !== "memory"))("over %s", (_, start) => {
  test(
    "the pages of a walk and the changes after it make what a fresh walk finds",
    async () => {
      const { follow, close } = await openFollowed(await start(), false);
      try {
        await fc.assert(fc.asyncProperty(historiesUnder(anyGrants), follow), parameters);
      } finally {
        await close();
      }
    },
    120_000 + numRuns * 2000,
  );
});
