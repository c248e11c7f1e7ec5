import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readdir, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { recordNames } from "@cadastre/reso";
import { generateMarket } from "@cadastre/sample";
import type { StoredResource, WritableStore } from "@cadastre/store";
import { openSqliteStore } from "@cadastre/store/sqlite";
import { storedResources } from "../catalog.ts";
import { gates } from "../gates/gates.ts";
import { publishGated } from "../gates/publication.ts";
import type { DataFolder } from "./data-folder.ts";
import { ExampleFinder } from "./examples.ts";
import { sampleRecords } from "./sample-records.ts";

/** Keys of the notes that the database carries. */
export const notes = { fingerprint: "fingerprint", listings: "listings", examples: "examples" } as const;

/** Any seed would do; with one seed every first start shows the same market. */
const seed = 1;

/** Every resource but one, whose gates are left for the operator to try: clients can be shown a set that is not active. */
const demoSets = recordNames.filter((name) => name !== "OpenHouse");

/** How many records pass between two reports of progress. */
const reportEvery = 5000;

export type Progress = {
  readonly started: (listings: number) => void;
  readonly loaded: (listings: number, of: number) => void;
  readonly done: (listings: number, seconds: number) => void;
  /** There are listings already, another number than was asked for. */
  readonly kept: (listings: number, asked: number, folder: string) => void;
};

/** There is data that the service can neither serve nor replace. */
export class PrepareError extends Error {
  override readonly name = "PrepareError";
}

/**
 * Make the database of sample listings, unless there is one of the present catalog. It is filled under another
 * name and takes its own in one step, so that a crash leaves no half of it.
 */
export async function prepareListings(
  folder: DataFolder,
  listings: number,
  progress: Progress,
): Promise<void> {
  await removeLeftovers(folder);
  const prepared = await findPrepared(folder, listings);
  if (prepared !== undefined) {
    if (prepared !== listings) progress.kept(prepared, listings, folder.path);
    return;
  }
  const started = performance.now();
  progress.started(listings);
  const beside = `${folder.database}.${process.pid}.preparing`;
  const store = await openSqliteStore({ file: beside, resources: storedResources, threads: 0 });
  await fill(store, listings, progress);
  await store.close();
  await removeDatabase(folder.database);
  await rename(beside, folder.database);
  progress.done(listings, (performance.now() - started) / 1000);
}

async function fill(store: WritableStore, listings: number, progress: Progress): Promise<void> {
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
  await store.notes.set(notes.fingerprint, fingerprintOf(storedResources));
}

/** Publish what the demo serves, through the gates. */
async function activate({ builds }: WritableStore): Promise<void> {
  const { results } = await publishGated(builds, demoSets);
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

/**
 * How many listings are there, of the present catalog. Sample data of another one, such as an older version's, is made
 * again. Other data is never touched.
 *
 * @param asked what to say where the number is not noted
 */
async function findPrepared({ database }: DataFolder, asked: number): Promise<number | undefined> {
  if (!existsSync(database)) return undefined;
  const store = await openSqliteStore({ file: database, resources: [], threads: 0 });
  const fingerprint = await store.notes.get(notes.fingerprint);
  const listings = await store.notes.get(notes.listings);
  await store.close();
  if (fingerprint === fingerprintOf(storedResources)) return Number(listings ?? asked);
  if (listings === undefined)
    throw new PrepareError(`${database} holds data that this version cannot serve: move it away`);
  return undefined;
}

/** Changes whenever the tables or the gates do. */
function fingerprintOf(resources: readonly StoredResource[]): string {
  const tables = resources.map(({ entitySet, columns, indexes, points, folded, hidden = [] }) => ({
    name: entitySet.name,
    columns: columns.map((name) => [name, entitySet.type.properties.get(name)?.type]),
    indexes,
    points,
    folded,
    hidden: hidden.map(({ name }) => name),
  }));
  const told = { tables, gates: gates.map(({ name }) => name) };
  return createHash("sha256").update(JSON.stringify(told)).digest("hex");
}

/** What a start that did not come to its end has left behind. */
async function removeLeftovers({ path, database }: DataFolder): Promise<void> {
  const leftover = new RegExp(`^${basename(database)}\\.(\\d+)\\.preparing`);
  for (const name of await readdir(path)) {
    const pid = Number(leftover.exec(name)?.[1] ?? 0);
    if (pid > 0 && !isRunning(pid)) await rm(join(dirname(database), name), { force: true });
  }
}

function isRunning(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function removeDatabase(file: string): Promise<void> {
  for (const suffix of ["-wal", "-shm", ""]) await rm(`${file}${suffix}`, { force: true });
}
