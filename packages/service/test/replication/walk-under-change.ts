import { setTimeout } from "node:timers/promises";
import { type ChangingListings, changingListings } from "./changing-listings.ts";
import { startListings } from "./listings-service.ts";
import { createReplica } from "./replica.ts";

export type Extent = {
  readonly listings: number;
  readonly pageSize: number;
  /** Changes of a commit. */
  readonly changes: number;
  readonly seed: number;
};

/** What was done, for a person. */
export type Walked = {
  readonly seconds: number;
  /** Keys met by all walks. */
  readonly met: number;
  /** Commits while the walks ran. */
  readonly commits: number;
  /** Listings that differ from the service's at the end: none, if all is well. */
  readonly differing: readonly string[];
  /** Listings at the end. */
  readonly left: number;
};

/**
 * Copy a service by its next links while what it has is inserted, updated and deleted, between pages and while they are
 * read: whole, then what has changed, then the keys; and once more when nothing is changed any more.
 *
 * @throws {Error} if a walk meets a key twice, or leaves one out that was there from its start to its end.
 */
export async function walkUnderChange({ listings, pageSize, changes, seed }: Extent): Promise<Walked> {
  const service = await startListings(listings);
  const own = changingListings(listings, service, seed);
  const replica = createReplica(service, pageSize);
  const started = performance.now();
  let [met, commits, isOver] = [0, 0, false];
  const change = async () => {
    await own.change(changes);
    commits++;
  };
  const changing = (async () => {
    for (; !isOver; await setTimeout(5)) await change();
  })();
  try {
    met += await whole(own, () => replica.pull(change));
    met += (await replica.pull(change)).size;
    met += await whole(own, () => replica.compareKeys(change));
    isOver = true;
    await changing;
    met += (await replica.pull()).size + (await replica.compareKeys()).size;
    const differing = [...new Set([...own.there.keys(), ...replica.copied.keys()])].filter(
      (key) => own.there.get(key) !== replica.copied.get(key),
    );
    const seconds = (performance.now() - started) / 1000;
    return { seconds, met, commits, differing, left: own.there.size };
  } finally {
    isOver = true;
    await changing;
    await service.stop();
  }
}

/** A walk of everything: it meets what is there all the time. Gives how much it met. */
async function whole(
  { there, deleted }: ChangingListings,
  walk: () => Promise<ReadonlySet<string>>,
): Promise<number> {
  const before = [...there.keys()];
  const met = await walk();
  const missed = before.filter((key) => !met.has(key) && !deleted.has(key));
  if (missed.length > 0) throw new Error(`a walk left out ${missed.length} listings, such as ${missed[0]}`);
  return met.size;
}
