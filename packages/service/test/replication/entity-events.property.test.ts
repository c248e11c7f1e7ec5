import type { WritableStore } from "@cadastre/store";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { engines } from "../interference/engines.ts";
import { anyGrants } from "../interference/grants.ts";
import type { Grants, World } from "../interference/projection.ts";
import { openSide, type Side } from "../interference/side.ts";
import { keyOf, type ResourceName, resourceNames } from "../interference/universe.ts";
import { after, changes, worlds } from "../interference/worlds.ts";

/** `CASES=1000` runs more cases, `SEED=1` repeats the same ones. */
const { CASES, SEED } = process.env;
const numRuns = Number(CASES ?? 6);
const parameters = SEED === undefined ? { numRuns } : { numRuns, seed: Number(SEED) };

type Row = Readonly<Record<string, unknown>>;

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

/** Resource and key of each number that a service has given. */
type Numbers = Map<number, string>;

/** A client that keeps a copy of what it sees by events. */
class Follower {
  copy = new Map<string, Row>();
  last = 0;
  readonly #side: Side;
  readonly #numbers: Numbers;

  constructor(side: Side, numbers: Numbers) {
    this.#side = side;
    this.#numbers = numbers;
  }

  /** Reads all records, after the number of the last event. */
  async seed(between: () => Promise<void>): Promise<void> {
    await this.#events(between, async () => {});
    this.copy = new Map();
    for (const resource of resourceNames)
      await this.#pages(`/reso/odata/${resource}`, between, async (row) => {
        this.copy.set(`${resource} ${String(row[keyOf(resource)])}`, recordOf(row));
      });
  }

  /** Reads the records that have new events. */
  follow(between: () => Promise<void>): Promise<void> {
    return this.#events(between, async (resource, key, url) => {
      const { status, text } = await this.#side.ask("one", url);
      expect([200, 404]).toContain(status);
      const name = `${resource} ${key}`;
      if (status === 404) this.copy.delete(name);
      else this.copy.set(name, recordOf(JSON.parse(text) as Row));
    });
  }

  #events(
    between: () => Promise<void>,
    onEvent: (resource: ResourceName, key: string, url: string) => Promise<void>,
  ): Promise<void> {
    const query = `$filter=EntityEventSequence gt ${this.last}&$orderby=EntityEventSequence`;
    return this.#pages(`/reso/odata/EntityEvent?${encodeURI(query)}`, between, async (row) => {
      const number = Number(row["EntityEventSequence"]);
      const [resource, key] = [row["ResourceName"] as ResourceName, String(row["ResourceRecordKey"])];
      expect(number).toBeGreaterThan(this.last);
      this.last = number;
      const of = `${resource} ${key}`;
      expect(this.#numbers.get(number) ?? of).toBe(of);
      this.#numbers.set(number, of);
      await onEvent(resource, key, String(row["ResourceRecordUrl"]));
    });
  }

  async #pages(
    start: string,
    between: () => Promise<void>,
    onRow: (row: Row) => Promise<void>,
  ): Promise<void> {
    for (let next: string | undefined = start; next !== undefined; ) {
      const reply = await this.#side.ask("one", next);
      // A set that is not granted is an unknown one.
      if (reply.status === 404) return;
      expect([reply.status, reply.text.slice(0, 500)]).toEqual([200, expect.any(String)]);
      const page = JSON.parse(reply.text) as Row & { value: readonly Row[] };
      for (const row of page.value) await onRow(row);
      next = page["@odata.nextLink"] as string | undefined;
      await between();
    }
  }
}

/** A field without a value is like one that the client does not see. */
const recordOf = (row: Row): Row =>
  Object.fromEntries(
    Object.entries(row).filter(([name, value]) => value !== null && !name.startsWith("@odata.")),
  );

const quiet = async () => {};

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
  const follower = new Follower(side, numbers);
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
    const fresh = new Follower(side, numbers);
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
    60_000 + numRuns * 10_000,
  );
});
