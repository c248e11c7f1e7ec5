import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { registerFunctions } from "@cadastre/odata/sqlite";
import Database from "better-sqlite3";
import { afterAll, describe, expect, test, vi } from "vitest";
import { openSqliteStore } from "../src/sqlite/index.ts";
import { type Harness, rowsOf } from "./conformance/harness.ts";
import { conformance } from "./conformance/index.ts";
import { askHomes, homeRecord, homesResource } from "./support/homes.ts";
import { ask, records, stored } from "./support/listings.ts";
import { plans } from "./support/plans.ts";

const folder = mkdtempSync(join(tmpdir(), "cadastre-store-"));
afterAll(() => rmSync(folder, { recursive: true }));

const harnessOf = (prefix: string, threads: number): Harness => ({
  isConcurrent: threads > 0,
  open: (name, { resources = [stored], readers = threads, ...options } = {}) =>
    openSqliteStore({
      file: join(folder, `${prefix}_${name}.sqlite`),
      resources,
      threads: threads === 0 ? 0 : readers,
      ...options,
    }),
});

conformance("SQLite on the calling thread", harnessOf("calling", 0));
conformance("SQLite on threads", harnessOf("threads", 2));

plans("SQLite", harnessOf("plans", 0), {
  byKey: /USING INDEX sqlite_autoindex_Listing_1/,
  by: (index) => new RegExp(`USING INDEX ${index}\\b`),
  byPlace: (index) => new RegExp(`SCAN ${index} VIRTUAL TABLE INDEX`),
  scan: /SCAN Listing\b(?!_| USING INDEX)/,
  sort: /USE TEMP B-TREE FOR (ORDER BY|LAST)/,
  whole: /USE TEMP B-TREE FOR ORDER BY|SCAN Listing/,
});

test("places are found by their rows after the file is vacuumed", async () => {
  const harness = harnessOf("vacuumed", 0);
  const resources = [homesResource];
  const before = await harness.open("store", { resources });
  const keys = Array.from({ length: 100 }, (_, i) => `h${String(i).padStart(2, "0")}`);
  await before.commit(keys.map((key, i) => homeRecord({ key, place: [i, 0] })));
  await before.commit(keys.slice(0, 50).map((key) => ({ resource: "Home", removed: [key] })));
  await before.close();
  const database = new Database(join(folder, "vacuumed_store.sqlite"));
  registerFunctions(database);
  database.exec("vacuum");
  database.close();
  const after = await harness.open("store", { resources });
  expect(
    rowsOf(await after.page(askHomes({ filter: "geo.distance(Place,geography'Point(70 0)') lt 1" }))),
  ).toEqual([{ HomeKey: "h70" }]);
  await after.close();
});

describe("a thread that reads", () => {
  test("is replaced when it dies", async () => {
    const post = vi.spyOn(Worker.prototype, "postMessage");
    const store = await harnessOf("dying", 1).open("store");
    await store.commit(records);
    expect((await store.page(ask())).length).toBe(records.length);
    const worker = post.mock.contexts.at(-1) as Worker;
    post.mockRestore();
    await worker.terminate();
    expect((await store.page(ask())).length).toBe(records.length);
    await store.close();
  });
});
