import type { StoredRecord, WritableStore } from "@cadastre/store";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { engines } from "../interference/engines.ts";
import { anyGrants } from "../interference/grants.ts";
import type { Grants, World } from "../interference/projection.ts";
import { openSide, type Side } from "../interference/side.ts";
import { datasets, recordNames, systems } from "../interference/universe.ts";
import { after, changes, worlds } from "../interference/worlds.ts";
import { Follower, type Numbers } from "./event-follower.ts";

/** `CASES=1000` runs more cases, `SEED=1` repeats the same ones. */
const { CASES, SEED } = process.env;
const numRuns = Number(CASES ?? 6);
const parameters = SEED === undefined ? { numRuns } : { numRuns, seed: Number(SEED) };

const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant("change" as const), change: changes }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("return" as const), change: changes }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("grant" as const), grants: anyGrants }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("prune" as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("seed" as const) }) },
);

const cases = fc.record({
  grants: anyGrants,
  world: worlds,
  /** Changes between two requests. */
  meanwhile: fc.array(changes, { maxLength: 3 }),
  steps: fc.array(step, { minLength: 1, maxLength: 6 }),
});
type Case = typeof cases extends fc.Arbitrary<infer Given> ? Given : never;

const quiet = async () => {};

const everything: Grants = {
  regions: [{ kind: "national", value: "US" }],
  datasets: [
    {
      dataset_id: datasets[0],
      resources: Object.fromEntries(recordNames.map((name) => [name, { fields: "*" }])),
    },
  ],
};

const listing = (ListingKey: string, City: string): StoredRecord => ({
  resource: "Property",
  datasetId: datasets[0],
  record: {
    ListingKey,
    City,
    OriginatingSystemName: systems[0],
    ModificationTimestamp: "2024-05-01T10:00:00.000Z",
  },
});

async function run(
  side: Side,
  store: Pick<WritableStore, "prune">,
  numbers: Numbers,
  given: Case,
): Promise<void> {
  const { meanwhile, steps } = given;
  let world: World = given.world;
  let granted: Grants = given.grants;
  const fill = async (to: World) => {
    world = to;
    await side.fill(world);
  };
  const left = [...meanwhile];
  const between = async () => {
    const to = left.shift();
    if (to !== undefined) await fill(after(world, to));
  };
  const admit = () => side.admit({ one: granted, other: granted });

  await fill(world);
  admit();
  const follower = new Follower(side, numbers, "one");
  await follower.seed(between);
  for (const next of [...steps, undefined]) {
    const before = world;
    if (next?.do === "change") await fill(after(world, next.change));
    // Records change after the client has asked for events, are read, and change back before it asks again.
    if (next?.do === "return") {
      const changed = after(world, next.change);
      await follower.seed(() => (world === before ? fill(changed) : quiet()));
      await fill(before);
    }
    if (next?.do === "prune") await store.prune(Date.now() + 60_000);
    if (next?.do === "grant") granted = next.grants;
    admit();
    left.push(...meanwhile);
    if (next?.do === "seed") await follower.seed(between);
    else await follower.follow(between);
    left.length = 0;
    await follower.follow(quiet);
    const fresh = new Follower(side, numbers, "one");
    await fresh.seed(quiet);
    expect(follower.copy).toEqual(fresh.copy);
    expect(follower.last).toBe(fresh.last);
  }
}

describe.each(Object.entries(engines).filter(([name]) => name !== "memory"))("over %s", (_, start) => {
  test(
    "a seed, and a look at each record that has an event since, give what a fresh seed gives",
    async () => {
      const engine = await start();
      const store = (await engine.open("events")) as WritableStore;
      const registry = await engine.openRegistry("events");
      const side = await openSide(store, { registry });
      const numbers: Numbers = new Map();
      try {
        await fc.assert(
          fc.asyncProperty(cases, (given) => run(side, store, numbers, given)),
          parameters,
        );
      } finally {
        await side.stop();
        await registry.close();
        await store.close();
        await engine.close();
      }
    },
    120_000 + numRuns * 10_000,
  );

  test("a database that was restored has other commits under the numbers of those that it lost: no change of them is missed", async () => {
    const engine = await start();
    const [store, restored] = [await engine.open("lost"), await engine.open("kept")];
    const registry = await engine.openRegistry("lost");
    const numbers: Numbers = new Map();
    const admitted = { one: everything, other: everything };
    const before = await openSide(store, { registry });
    await before.fill([listing("p1", "Austin"), listing("p2", "Austin")]);
    before.admit(admitted);
    const follower = new Follower(before, numbers, "one");
    await follower.seed(quiet);
    await before.fill([listing("p1", "Bend"), listing("p2", "Austin")]);
    await follower.follow(quiet);
    await before.stop();

    const side = await openSide(restored, { registry });
    await side.advance(before.checkpoint() - 1);
    await side.fill([listing("p1", "Austin"), listing("p3", "Dallas")]);
    side.admit(admitted);
    expect(side.checkpoint()).toBeGreaterThanOrEqual(before.checkpoint());
    const later = new Follower(side, numbers, "one");
    Object.assign(later, { copy: follower.copy, last: follower.last });
    await later.follow(quiet);
    const fresh = new Follower(side, numbers, "one");
    await fresh.seed(quiet);
    expect(later.copy).toEqual(fresh.copy);
    for (const one of [side, registry, store, restored, engine])
      await ("stop" in one ? one.stop() : one.close());
  });
});
