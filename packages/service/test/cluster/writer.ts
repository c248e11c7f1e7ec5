import { setTimeout } from "node:timers/promises";
import { sampleSystems } from "@cadastre/sample/catalog";
import type { Change, WritableStore } from "@cadastre/store";
import { randomFrom } from "../../bench/random.ts";

/** List price by key. */
export type Prices = ReadonlyMap<string, number>;

/** A writer of its own listings, who knows what the database had at each checkpoint. */
export type Writer = {
  /** Commits random changes one after another until the signal. Each is tried again until it is acknowledged. */
  readonly write: (signal: AbortSignal) => Promise<void>;
  /** Returns the listings that the database had at a checkpoint. */
  readonly at: (checkpoint: number) => Prices;
  /** Waits until the change that is being committed is acknowledged. */
  readonly settled: () => Promise<unknown>;
  /** Returns why no state between two commits has exactly these keys, except those deleted since; undefined if one has. */
  readonly whyNot: (met: ReadonlySet<string>) => string | undefined;
  /** Number of acknowledged commits, and of attempts that failed. */
  readonly counts: { committed: number; failed: number };
};

/** Versions of a listing in ascending order of their checkpoints; null once it is deleted. Its key is not used again. */
type Versions = (readonly [checkpoint: number, price: number | null])[];

const [system] = sampleSystems;
const changesPerCommit = 5;
const prefix = "cluster-";

export const isOwnKey = (key: string): boolean => key.startsWith(prefix);

/** Creates the only writer of a store. */
export function createWriter({ commit, checkpoint }: WritableStore, seed: number): Writer {
  const random = randomFrom(seed);
  const listings = new Map<string, Versions>();
  const live: string[] = [];
  const counts = { committed: 0, failed: 0 };
  let [inserted, price] = [0, 100_000];
  let pending: Promise<unknown> = Promise.resolve();

  /** Chooses the new price of one listing; null to delete it. */
  function plan(): readonly [key: string, price: number | null] {
    const at = random.whole(0, Math.max(0, live.length - 1));
    const key = live[at];
    if (key === undefined || random.chance(0.4)) {
      const added = `${prefix}${String(inserted++).padStart(7, "0")}`;
      live.push(added);
      return [added, ++price];
    }
    if (random.chance(0.7)) return [key, ++price];
    live[at] = live.at(-1) ?? key;
    live.pop();
    return [key, null];
  }

  async function commitOnce(planned: ReadonlyMap<string, number | null>, signal: AbortSignal): Promise<void> {
    const changes = [...planned].map(([key, value]) => changeOf(key, value));
    for (;;)
      try {
        await commit(changes);
        // If an attempt was made without an acknowledgement, the one after it changes nothing: the last checkpoint is still the change's.
        const at = await checkpoint();
        for (const [key, value] of planned) {
          const versions = listings.get(key) ?? [];
          versions.push([at, value]);
          listings.set(key, versions);
        }
        counts.committed++;
        return;
      } catch {
        counts.failed++;
        await setTimeout(100);
        signal.throwIfAborted();
      }
  }

  return {
    write: async (signal) => {
      for (; !signal.aborted; await setTimeout(random.whole(0, 50))) {
        const giveUp = AbortSignal.timeout(120_000);
        pending = commitOnce(new Map(Array.from({ length: changesPerCommit }, plan)), giveUp);
        await pending;
      }
    },
    at: (number) => {
      const prices = new Map<string, number>();
      for (const [key, versions] of listings) {
        const value = versions.findLast(([from]) => from <= number)?.[1];
        if (value !== undefined && value !== null) prices.set(key, value);
      }
      return prices;
    },
    settled: () => pending,
    whyNot: (met) => {
      let [least, most, firstBorn, firstGone] = [0, Number.POSITIVE_INFINITY, "", ""];
      for (const [key, versions] of listings) {
        const [born = 0] = versions[0] ?? [];
        const [last = 0, value] = versions.at(-1) ?? [];
        if (met.has(key)) {
          if (born > least) [least, firstBorn] = [born, key];
          if (value === null && last < most) [most, firstGone] = [last, `${key} was deleted`];
        } else if (value !== null && born < most) [most, firstGone] = [born, `${key} was left out`];
      }
      for (const key of met) if (!listings.has(key)) return `${key} was never written`;
      return least < most
        ? undefined
        : `${firstBorn} was met, written at checkpoint ${least}, but at ${most} ${firstGone}`;
    },
    counts,
  };
}

const changeOf = (key: string, price: number | null): Change =>
  price === null
    ? { resource: "Property", datasetId: system.datasetId, removed: [key] }
    : {
        resource: "Property",
        datasetId: system.datasetId,
        record: {
          ListingKey: key,
          ListPrice: price,
          StandardStatus: "Active",
          ModificationTimestamp: new Date(1_700_000_000_000 + price * 1000).toISOString(),
          OriginatingSystemName: system.name,
        },
      };
