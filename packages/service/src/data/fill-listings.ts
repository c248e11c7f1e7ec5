import { recordNames } from "@cadastre/reso";
import { publishGated } from "../gates/publication.ts";
import type { Listings } from "../listings.ts";
import { ExampleFinder } from "./examples.ts";
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

/** Fills an empty database with sample listings. If it was interrupted, another call completes it. */
export async function fillListings(
  store: Listings,
  listings: number,
  progress: PreparationProgress,
): Promise<void> {
  // Imported only here: building its tables takes longer than the rest of a command takes to start.
  const { generateMarket } = await import("@cadastre/sample");
  const { sampleRecords } = await import("./sample-records.ts");
  await store.notes.set(notes.sample, "true");
  const finder = new ExampleFinder();
  let seen = 0;
  await store.commit(
    watch(sampleRecords(generateMarket({ seed, listings })), ({ resource, record }) => {
      if (resource !== "Property") return;
      finder.see(record);
      seen++;
      if (seen % reportEvery === 0 && seen < listings) progress.loaded(seen, listings);
    }),
  );
  await activate(store);
  const examples = finder.found();
  if (examples !== undefined) await store.notes.set(notes.examples, JSON.stringify(examples));
  await store.notes.set(notes.listings, String(listings));
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
