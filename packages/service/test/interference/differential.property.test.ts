import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Collection, type OdataError, toCollection } from "../support/ask.ts";
import { engines } from "./engines.ts";
import { grants } from "./grants.ts";
import { type Answer, answers } from "./model.ts";
import { plainRequests } from "./requests.ts";
import { openSide, type Side } from "./side.ts";
import { targetOf } from "./targets.ts";
import { worlds } from "./worlds.ts";

/** `CASES=5000` runs more cases, `SEED=1` repeats the same ones. */
const { CASES, SEED } = process.env;
const numRuns = Number(CASES ?? 5);
const parameters = SEED === undefined ? { numRuns } : { numRuns, seed: Number(SEED) };

/** Most pages of a walk that are compared. */
const pages = 3;

const cases = fc.record({
  grants,
  world: worlds,
  requests: fc.array(plainRequests, { minLength: 1, maxLength: 6, size: "max" }),
});

/** Returns the answers of the service in the form of the model's. */
async function walk(side: Side, target: string): Promise<readonly Answer[]> {
  const found: Answer[] = [];
  let next: string | undefined = target;
  while (next !== undefined && found.length < pages) {
    const reply = await side.ask("one", next);
    if (reply.status !== 200) return [...found, { code: (JSON.parse(reply.text) as OdataError).error.code }];
    const page: Collection = toCollection(reply);
    next = page["@odata.nextLink"];
    found.push({ count: page["@odata.count"], value: page.value, isLast: next === undefined });
  }
  return found;
}

describe("the service answers as a model over arrays does", () => {
  test.each(Object.entries(engines))(
    "over %s",
    async (_, start) => {
      const engine = await start();
      const store = await engine.open("model");
      const side = await openSide(store);
      const property = fc.asyncProperty(cases, async ({ grants: one, world, requests }) => {
        side.admit({ one, other: one });
        await side.fill(world);
        for (const request of requests) {
          const target = targetOf(request, one);
          const expected = answers(request, world, one, pages);
          const found = await walk(side, target);
          // A store may refuse what the model can compute.
          if (found.some((answer) => "code" in answer && answer.code === "not_supported")) continue;
          expect(found, decodeURIComponent(target)).toEqual(expected);
        }
      });
      await fc.assert(property, parameters);
      await side.stop();
      await store.close();
      await engine.close();
    },
    120_000 + numRuns * 2000,
  );
});
