import { recordNames } from "@cadastre/reso";
import type { StoredRecord } from "@cadastre/store";
import { publishGated } from "../gates/publication.ts";
import type { Listings } from "../listings.ts";
import { ExampleFinder, type Examples } from "./examples.ts";
import { notes } from "./notes.ts";

/** A fixed seed, so that every first start generates the same market. */
const seed = 1;

/** Every resource except one, which the operator can publish to try the gates: clients can be shown a set that is not active. */
const demoSets = recordNames.filter((name) => name !== "OpenHouse");

/** Number of listings between two progress reports. */
const reportEvery = 2000;

export type PreparationProgress = {
  readonly started: (listings: number) => void;
  readonly loaded: (listings: number, of: number) => void;
  readonly done: (listings: number, seconds: number) => void;
  /** Called if there are sample listings already, but not as many as requested. */
  readonly kept: (listings: number, asked: number, folder: string) => void;
};

/** With fewer listings a thread takes longer to start than it saves. */
const fewestForThread = 2000;

/**
 * Fills an empty database with sample listings. If it was interrupted, another call completes it.
 *
 * @param file file of the database; undefined if it is in PostgreSQL, whose server has a process of its own
 */
export async function fillListings(
  store: Listings,
  listings: number,
  progress: PreparationProgress,
  file?: string,
): Promise<void> {
  await store.notes.set(notes.sample, "true");
  let seen = 0;
  const see = ({ resource }: Pick<StoredRecord, "resource">) => {
    if (resource !== "Property") return;
    seen++;
    if (seen % reportEvery === 0 && seen < listings) progress.loaded(seen, listings);
  };
  const examples =
    file !== undefined && store.commitEncoded !== undefined && listings >= fewestForThread
      ? await commitInParallel({ file, listings }, store.commitEncoded, see)
      : await commitHere(store, listings, see);
  await activate(store);
  if (examples !== undefined) await store.notes.set(notes.examples, JSON.stringify(examples));
  await store.notes.set(notes.listings, String(listings));
}

// The two functions below import the generator of records: building its tables takes longer than the rest of a command takes to start.

/** Commits records that threads generate. Returns the examples. */
async function commitInParallel(
  task: { readonly file: string; readonly listings: number },
  commit: NonNullable<Listings["commitEncoded"]>,
  see: (record: Pick<StoredRecord, "resource">) => void,
): Promise<Examples | undefined> {
  const { commitOfThreads } = await import("./commit-of-threads.ts");
  return commitOfThreads({ seed, ...task }, commit, see);
}

/** Generates and commits the records in this thread. Returns the examples. */
async function commitHere(
  store: Listings,
  listings: number,
  see: (record: StoredRecord) => void,
): Promise<Examples | undefined> {
  const { generateMarket } = await import("@cadastre/sample");
  const { sampleRecords } = await import("./sample-records.ts");
  const finder = new ExampleFinder();
  await store.commit(
    watch(sampleRecords(generateMarket({ seed, listings })), (stored) => {
      if (stored.resource === "Property") finder.see(stored.record);
      see(stored);
    }),
  );
  return finder.found();
}

/** Publishes the demo's entity sets through the gates. */
async function activate(store: Listings): Promise<void> {
  const { results } = await publishGated(store, demoSets);
  for (const [resource, found] of results)
    for (const { gate, passed, evidence } of found)
      if (!passed) throw new Error(`${resource} has not passed ${gate}: ${JSON.stringify(evidence)}`);
}

function* watch<Item>(items: Iterable<Item>, see: (item: Item) => void): Generator<Item> {
  for (const item of items) {
    see(item);
    yield item;
  }
}
