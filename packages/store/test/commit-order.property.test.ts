import { setTimeout } from "node:timers/promises";
import { hasPostgres, type PostgresServer, startPostgres } from "@cadastre/odata/testing";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Bookmark, Change, ReadOptions, WritableStore } from "../src/index.ts";
import { openPostgresStore } from "../src/postgres/index.ts";
import { ask, listing, removal, scopeOf, stored } from "./support/listings.ts";

/** `CASES=1000` for more, `SEED=1` for the same ones again: the same plans, in another order of time. */
const { CASES, SEED } = process.env;
const numRuns = Number(CASES ?? 10);

const datasets = ["one", "two", "three", "four"] as const;
const scope = scopeOf(Object.fromEntries(datasets.map((name) => [name, "*"])));

/** A new city of a listing, or its removal, and the time until the next change, in milliseconds. */
const change = fc.record({
  key: fc.integer({ min: 0, max: 5 }),
  /** True for a key that writers of all datasets want. */
  isWanted: fc.boolean(),
  city: fc.option(fc.constantFrom("Austin", "Bend", "Waco"), { freq: 4, nil: undefined }),
  pause: fc.oneof(
    { weight: 3, arbitrary: fc.constant(0) },
    { weight: 1, arbitrary: fc.integer({ min: 1, max: 15 }) },
  ),
});

const commit = fc.record({
  changes: fc.array(change, { maxLength: 6 }),
  fails: fc.integer({ min: 0, max: 7 }).map((number) => number === 0),
});

const writer = fc.record({
  /** The process that it writes in. */
  process: fc.constantFrom(0, 1),
  /** Null for one that commits changes of two datasets. */
  dataset: fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...datasets) },
    { weight: 1, arbitrary: fc.constant(null) },
  ),
  commits: fc.array(commit, { minLength: 1, maxLength: 6 }),
});

const plans = fc.array(writer, { minLength: 2, maxLength: 8 });
type Plan = typeof plans extends fc.Arbitrary<infer T> ? T : never;

/** A version of a listing. */
type Version = { readonly dataset: string; readonly city: string; readonly from: number; to: number };
type Listing = { readonly dataset: string; readonly city: string };

/** All acknowledged commits, applied in the order of their numbers. */
class Model {
  readonly versions = new Map<string, Version[]>();
  checkpoint = 0;

  current(key: string): Version | undefined {
    const last = this.versions.get(key)?.at(-1);
    return last?.to === Number.POSITIVE_INFINITY ? last : undefined;
  }

  /** Applies a commit, and returns what it must have counted. */
  apply(number: number, changes: readonly Made[]) {
    const counts = { written: 0, unchanged: 0, removed: 0 };
    for (const { dataset, key, city } of changes) {
      const held = this.current(key);
      if (city === undefined) {
        if (held?.dataset !== dataset) continue;
        counts.removed++;
        this.#end(key, held, number);
        continue;
      }
      // Else it should have been refused.
      expect(held?.dataset ?? dataset).toBe(dataset);
      if (held?.city === city) {
        counts.unchanged++;
        continue;
      }
      counts.written++;
      if (held !== undefined) this.#end(key, held, number);
      const versions = this.versions.get(key) ?? [];
      this.versions.set(key, versions);
      versions.push({ dataset, city, from: number, to: Number.POSITIVE_INFINITY });
    }
    return counts;
  }

  #end(key: string, version: Version, number: number): void {
    version.to = number;
    // A version that began in the same commit was never visible.
    if (version.from === number) this.versions.get(key)?.pop();
  }

  /** Returns the listings at a checkpoint whose versions are asked for. */
  at(checkpoint: number, isAsked: (version: Version) => boolean = () => true): ReadonlyMap<string, Listing> {
    const found = new Map<string, Listing>();
    for (const [key, versions] of this.versions)
      for (const version of versions)
        if (version.from <= checkpoint && checkpoint < version.to && isAsked(version))
          found.set(key, { dataset: version.dataset, city: version.city });
    return found;
  }
}

type Made = { readonly dataset: string; readonly key: string; readonly city: string | undefined };
type Acknowledged = {
  readonly checkpoint: number;
  readonly changes: readonly Made[];
  readonly counts: object;
};

/** Reads all pages of the listings. Fails if a key comes twice. */
async function read(store: WritableStore, options: ReadOptions): Promise<ReadonlyMap<string, Listing>> {
  const found = new Map<string, Listing>();
  const query = ask({ select: "ListingKey,City,OriginatingSystemName", orderBy: "City", top: 5 }, scope);
  let from: Bookmark | undefined;
  do {
    const page = await store.page(query, { ...options, from });
    const rows = JSON.parse(`[${Buffer.from(page.records).toString()}]`) as readonly Record<string, string>[];
    for (const { ListingKey = "", City = "", OriginatingSystemName = "" } of rows) {
      expect(found.has(ListingKey)).toBe(false);
      found.set(ListingKey, { dataset: OriginatingSystemName, city: City });
    }
    from = page.next ?? undefined;
  } while (from !== undefined);
  return found;
}

const sorted = (listings: ReadonlyMap<string, Listing>) => [...listings].sort(([a], [b]) => (a < b ? -1 : 1));

describe.skipIf(!hasPostgres)("commits of several datasets at once", () => {
  let server: PostgresServer;
  let stores: readonly WritableStore[] = [];
  beforeAll(async () => {
    server = await startPostgres();
    const open = () => openPostgresStore({ connection: server.url, resources: [stored] });
    stores = [await open(), await open()];
  });
  afterAll(async () => {
    for (const store of stores) await store.close();
    await server.stop();
  });
  const storeAt = (i: number): WritableStore => stores[i] as WritableStore;

  /** Makes the commits of a plan one after another, while other writers do so too. */
  async function write({ process, dataset, commits }: Plan[number], done: Acknowledged[]): Promise<void> {
    for (const { changes, fails } of commits) {
      const made = changes.map(({ key, isWanted, city }, i) => {
        const of = dataset ?? datasets[i % 2] ?? "";
        return { dataset: of, key: isWanted ? `wanted-${key}` : `${of}-${key}`, city };
      });
      const { commit: make } = storeAt(process);
      try {
        const { checkpoint, ...counts } = await make(
          pacedChanges(),
          dataset === null ? {} : { datasetId: dataset },
        );
        done.push({ checkpoint, changes: made, counts });
      } catch (error) {
        if ((error as Error).message === "the source is gone") continue;
        expect(error).toMatchObject({ code: "key_of_another_dataset" });
      }

      async function* pacedChanges(): AsyncGenerator<Change> {
        for (const [i, { dataset: of, key, city }] of made.entries()) {
          const one: Change = city === undefined ? removal(key, of) : withSystem(listing(key, city, of));
          yield one;
          const pause = changes[i]?.pause ?? 0;
          // A change of a key that the batch has already is written after the batch, so that the number is held during the pause.
          if (pause > 0) {
            yield { ...removal("none", of) };
            yield { ...removal("none", of) };
            await setTimeout(pause);
          }
        }
        if (fails) throw new Error("the source is gone");
      }
    }
  }

  const withSystem = (one: ReturnType<typeof listing>): Change => ({
    ...one,
    record: { ...one.record, OriginatingSystemName: one.datasetId },
  });

  test("become visible in the order of their numbers: readers miss nothing, and deltas are exact", async () => {
    const model = new Model();
    const pool = server.connect(1);
    let [beside, passed] = [0, 0];
    await fc.assert(
      fc.asyncProperty(plans, fc.infiniteStream(fc.nat()), async (plan, numbers) => {
        const began = model.checkpoint;
        const done: Acknowledged[] = [];
        const writing = new AbortController();
        /** States that readers found while others wrote. */
        const seen: {
          readonly what: string;
          readonly at: number;
          readonly found: ReadonlyMap<string, Listing>;
        }[] = [];

        /** Follows the changes from one checkpoint to the next. */
        const follow = async (store: WritableStore) => {
          let last = began;
          const copy = new Map(model.at(began));
          for (let isLast = false; !isLast; ) {
            isLast = writing.signal.aborted;
            const head = await store.checkpoint();
            expect(head).toBeGreaterThanOrEqual(last);
            const ended = await read(store, { asOf: last, until: head });
            const begun = await read(store, { asOf: head, since: last });
            for (const [key, version] of ended) {
              expect(copy.get(key)).toEqual(version);
              copy.delete(key);
            }
            for (const [key, version] of begun) {
              expect(copy.has(key)).toBe(false);
              copy.set(key, version);
            }
            seen.push({ what: "a follower", at: head, found: new Map(copy) });
            last = head;
          }
        };

        /** Walks over the state of a checkpoint. */
        const walk = async (store: WritableStore) => {
          while (!writing.signal.aborted) {
            const at = await store.checkpoint();
            await setTimeout(3);
            seen.push({ what: "a walk", at, found: await read(store, { asOf: at }) });
          }
        };
        const reading = Promise.all([follow(storeAt(0)), follow(storeAt(1)), walk(storeAt(0))]);
        const writers = Promise.all(plan.map((one) => write(one, done))).finally(() => writing.abort());
        await Promise.all([reading, writers]);

        // The order of the commits that changed nothing does not matter.
        const changing = done.filter(({ counts }) => !("written" in counts) || hasChanged(counts));
        changing.sort((a, b) => a.checkpoint - b.checkpoint);
        const used = changing.map(({ checkpoint }) => checkpoint);
        expect(new Set(used).size).toBe(used.length);
        for (const { checkpoint, changes, counts } of changing) {
          expect(checkpoint).toBeGreaterThan(model.checkpoint);
          expect(model.apply(checkpoint, changes)).toEqual(counts);
          model.checkpoint = checkpoint;
        }
        const head = await storeAt(0).checkpoint();
        // The last commits may have changed nothing after all.
        expect(head).toBe(model.checkpoint);
        for (const { what, at, found } of seen)
          expect([what, at, sorted(found)]).toEqual([what, at, sorted(model.at(at))]);
        const { rows } = await pool.query<{ commits: number; last: number }>(
          "select count(*)::int as commits, max(checkpoint)::int as last from cadastre.cadastre_commit",
        );
        expect(rows[0]).toEqual({ commits: head, last: head });
        const span = head - began + 1;
        for (let i = 0; i < 3; i++) {
          const [a, b] = [began + (numbers.next().value % span), began + (numbers.next().value % span)].sort(
            (x, y) => x - y,
          ) as [number, number];
          expect(sorted(await read(storeAt(1), { asOf: b, since: a }))).toEqual(
            sorted(model.at(b, ({ from }) => from > a)),
          );
          expect(sorted(await read(storeAt(1), { asOf: a, until: b }))).toEqual(
            sorted(model.at(a, ({ to }) => to <= b)),
          );
        }
        expect(sorted(await read(storeAt(1), {}))).toEqual(sorted(model.at(head)));
        beside += done.length;
        passed += seen.length;
      }),
      { numRuns, ...(SEED === undefined ? {} : { seed: Number(SEED) }), endOnFailure: true },
    );
    await pool.end();
    console.log(`${beside} commits, ${passed} states read while others wrote`);
  });
});

const hasChanged = (counts: object): boolean => {
  const { written, removed } = counts as { readonly written: number; readonly removed: number };
  return written + removed > 0;
};
