import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { link, readdir, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { recordNames } from "@cadastre/reso";
import type { WritableStore } from "@cadastre/store";
import { lockFile } from "@cadastre/store/sqlite";
import { catalogVersion } from "../catalog.ts";
import { publishGated } from "../gates/publication.ts";
import type { DataFolder } from "./data-folder.ts";
import { ExampleFinder } from "./examples.ts";
import { openListings } from "./listings.ts";
import { isSample, notes } from "./notes.ts";
import { PrepareError } from "./prepare-error.ts";
import { sampleRecords } from "./sample-records.ts";

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

/**
 * Creates a database of sample listings, or an empty one if `listings` is 0. An existing database is never changed. The new one is
 * filled under another name and renamed, so that a crash leaves no partial database.
 *
 * @throws {PrepareError} if the folder has a registry or a write-ahead log, but not their database: samples must not replace it
 */
export async function prepareListings(
  folder: DataFolder,
  listings: number,
  progress: PreparationProgress,
): Promise<void> {
  await removeLeftovers(folder);
  if (existsSync(folder.database)) return tellKept(folder, listings, progress);
  if (listings > 0 && existsSync(folder.registry))
    throw new PrepareError(
      `${folder.path} has a registry, but ${folder.database} is missing: put back a copy of it, or start with CADASTRE_LISTINGS=0 to create it without listings`,
    );
  if (existsSync(`${folder.database}-wal`))
    throw new PrepareError(
      `${folder.database} is missing, but ${folder.database}-wal with its last changes is there: put the database back, or move ${folder.database}-wal away`,
    );
  const started = performance.now();
  if (listings > 0) progress.started(listings);
  const beside = `${folder.database}.${randomUUID()}.preparing`;
  const lock = lockFile(lockOf(beside), "exclusive");
  try {
    await makeBeside(beside, folder, listings, progress);
  } finally {
    await rm(lockOf(beside), { force: true });
    lock?.release();
  }
  if (listings > 0) progress.done(listings, (performance.now() - started) / 1000);
}

async function makeBeside(
  beside: string,
  folder: DataFolder,
  listings: number,
  progress: PreparationProgress,
): Promise<void> {
  const store = await openListings({ database: beside }, { threads: 0 });
  if (listings > 0) await fill(store, listings, progress);
  await store.notes.set(notes.checked, String(catalogVersion));
  await store.close();
  await putInPlace(beside, folder.database);
}

/** Returns the lock file of a database that is being filled. A process id would not do: two containers may have the same. */
const lockOf = (beside: string): string => `${beside}.lock`;

/** Renames a file, unless another process has created a file of that name meanwhile. */
async function putInPlace(beside: string, file: string): Promise<void> {
  try {
    await link(beside, file);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  } finally {
    await rm(beside, { force: true });
  }
}

async function tellKept(folder: DataFolder, asked: number, progress: PreparationProgress): Promise<void> {
  const store = await openListings(folder, { threads: 0 });
  try {
    const prepared = Number(await store.notes.get(notes.listings));
    if ((await isSample(store)) && prepared !== asked) progress.kept(prepared, asked, folder.path);
  } finally {
    await store.close();
  }
}

async function fill(store: WritableStore, listings: number, progress: PreparationProgress): Promise<void> {
  // Imported only here: building its tables takes longer than the rest of a command takes to start.
  const { generateMarket } = await import("@cadastre/sample");
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
  await store.notes.set(notes.sample, "true");
}

/** Publishes the demo's entity sets through the gates. */
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

/** Deletes the files of starts that were interrupted. */
async function removeLeftovers({ path, database }: DataFolder): Promise<void> {
  const leftover = new RegExp(`^${basename(database)}\\.[\\w-]+\\.preparing`);
  const found = new Set((await readdir(path)).flatMap((name) => leftover.exec(name) ?? []));
  for (const name of found) {
    const beside = join(path, name);
    const lock = lockFile(lockOf(beside), "exclusive");
    if (lock === undefined) continue;
    try {
      for (const file of [...["", "-wal", "-shm"].map((end) => beside + end), lockOf(beside)])
        await rm(file, { force: true });
    } finally {
      lock.release();
    }
  }
}
