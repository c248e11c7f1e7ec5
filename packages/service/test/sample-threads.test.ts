import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { generateMarket } from "@cadastre/sample";
import { sampleCatalog } from "@cadastre/sample/catalog";
import { afterEach, beforeEach, expect, test } from "vitest";
import { commitOfThreads } from "../src/data/commit-of-threads.ts";
import { type DataFolder, openDataFolder } from "../src/data/data-folder.ts";
import { databasesOf } from "../src/data/databases.ts";
import { ExampleFinder } from "../src/data/examples.ts";
import { sampleRecords } from "../src/data/sample-records.ts";
import { runSql } from "./support/sql.ts";

// Enough for several parts, so that each thread has some.
const market = { seed: 1, listings: 320 };
const tables = ["Property", "Media", "MediaAsset", "OpenHouse", "Member", "Office", "PublicRecord", "Lookup"];

let path: string;
beforeEach(async () => {
  path = await mkdtemp(join(tmpdir(), "cadastre-sample-"));
});
afterEach(() => rm(path, { recursive: true, force: true }));

/** Creates an empty database in a folder of its own. */
async function emptyFolder(name: string): Promise<DataFolder> {
  const folder = await openDataFolder(join(path, name));
  const store = await databasesOf(folder).openListings({ catalog: sampleCatalog, threads: 0 }, true);
  await store.close();
  return folder;
}

const open = (folder: DataFolder) => databasesOf(folder).openListings({ catalog: sampleCatalog, threads: 0 });

/** Fills a database through the threads. Returns the result of the commit, the examples, and the resources of the records. */
async function fillByThreads(folder: DataFolder, file = folder.database) {
  const store = await open(folder);
  const { commitEncoded } = store;
  if (commitEncoded === undefined) throw new Error("a SQLite file takes encoded records");
  const seen: string[] = [];
  try {
    const examples = await commitOfThreads({ ...market, file }, commitEncoded, (change) =>
      seen.push(change.resource),
    );
    return { examples, seen };
  } finally {
    await store.close();
  }
}

test("threads fill a database with the same rows in the same order", async () => {
  const [here, beside] = [await emptyFolder("here"), await emptyFolder("beside")];
  const finder = new ExampleFinder();
  const resources: string[] = [];
  const store = await open(here);
  function* watched() {
    for (const stored of sampleRecords(generateMarket(market))) {
      if (stored.resource === "Property") finder.see(stored.record);
      resources.push(stored.resource);
      yield stored;
    }
  }
  await store.commit(watched());
  await store.close();
  const { examples, seen } = await fillByThreads(beside);
  expect(seen).toEqual(resources);
  expect(examples).toEqual(finder.found());
  const rowsOf = (folder: DataFolder, table: string) =>
    runSql(folder, "listings", `select rowid, * from "${table}" order by rowid`);
  for (const table of tables) {
    const rows = await rowsOf(beside, table);
    expect(rows.length, table).toBeGreaterThan(0);
    expect(rows, table).toEqual(await rowsOf(here, table));
  }
  const sums = `select name, sum from cadastre_checksum where name in ('${tables.join("', '")}') order by name`;
  expect(await runSql(beside, "listings", sums)).toEqual(await runSql(here, "listings", sums));
}, 60_000);

test("what fails in a thread fails the commit, of which nothing is kept", async () => {
  const folder = await emptyFolder("failing");
  await expect(fillByThreads(folder, join(path, "missing.sqlite"))).rejects.toThrow();
  for (const table of tables)
    expect(await runSql(folder, "listings", `select count(*) as n from "${table}"`)).toEqual([{ n: 0 }]);
}, 60_000);
