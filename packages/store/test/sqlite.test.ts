import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { sql, sqlite } from "@cadastre/odata";
import { gramsOf } from "@cadastre/odata/functions";
import { render } from "@cadastre/odata/run";
import { registerFunctions } from "@cadastre/odata/sqlite";
import Database from "better-sqlite3";
import { afterAll, describe, expect, test, vi } from "vitest";
import { registerChecksum } from "../src/checksum/checksums.ts";
import { beginning, beginningValue } from "../src/schema/table.ts";
import { checkSqlite, openSqliteStore } from "../src/sqlite/index.ts";
import { type Harness, onEveryLayout, rowsOf } from "./conformance/harness.ts";
import { conformance } from "./conformance/index.ts";
import { cottageRecord, cottagesResource } from "./support/cottages.ts";
import { hiddenRows } from "./support/hidden-rows.ts";
import { askHomes, homeRecord, homeRemoval, homesResource } from "./support/homes.ts";
import { ask, listing, oregon, records, scopeOf, stored, texas } from "./support/listings.ts";
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

if (onEveryLayout) conformance("SQLite on the calling thread", harnessOf("calling", 0));
conformance("SQLite on threads", harnessOf("threads", 2));

plans("SQLite", harnessOf("plans", 0), {
  byKey: /USING INDEX sqlite_autoindex_Listing_1/,
  by: (index) => new RegExp(`USING INDEX ${index}\\b`),
  byPlace: (index) => new RegExp(`SCAN ${index} VIRTUAL TABLE INDEX`),
  scan: /SCAN Listing\b(?!_| USING INDEX)/,
  sort: /USE TEMP B-TREE FOR (ORDER BY|LAST)/,
  whole: /USE TEMP B-TREE FOR ORDER BY|SCAN Listing/,
});

hiddenRows("SQLite", harnessOf("hidden", 0), (plan) => {
  const grams = plan.some((step) => step.startsWith("SCAN Property_City_grams VIRTUAL TABLE"));
  const steps = plan.filter((step) => /^(SCAN|SEARCH) Property\b(?!_)/.test(step));
  // Rows that the trigram index has found: its entries begin with the dataset, see below.
  return steps.map((step) => (grams && step.endsWith("(rowid=?)") ? `${step} of DatasetId` : step));
});

test("a new file has pages of 16 kB, and one with other pages keeps them", async () => {
  const pageSizeOf = async (name: string) => {
    await (await harnessOf("pages", 0).open(name)).close();
    const database = new Database(join(folder, `pages_${name}.sqlite`));
    const size = database.pragma("page_size", { simple: true });
    database.close();
    return size;
  };
  const earlier = new Database(join(folder, "pages_earlier.sqlite"));
  earlier.pragma("page_size = 4096");
  earlier.exec("vacuum");
  earlier.close();
  expect(await pageSizeOf("new")).toBe(16_384);
  expect(await pageSizeOf("earlier")).toBe(4096);
  expect(await pageSizeOf("earlier")).toBe(4096);
});

test("the entries of a trigram index begin with the number of the dataset", async () => {
  const resources = [cottagesResource];
  const store = await harnessOf("grams", 0).open("store", { resources });
  const cottage = { rank: 0, remarks: "Sea view", street: null };
  await store.commit([0, 1, 2].map((dataset) => cottageRecord({ ...cottage, key: `c${dataset}`, dataset })));
  await store.close();
  const file = new Database(join(folder, "grams_store.sqlite"));
  file.exec("create virtual table temp.terms using fts5vocab(main, Cottage_Remarks_grams, row)");
  const terms = file.prepare("select term, doc from temp.terms order by term").raw().all();
  const numbers = file.prepare("select number from cadastre_dataset order by number").pluck().all();
  file.close();
  const grams = gramsOf("Sea view").toSorted();
  expect(numbers).toHaveLength(3);
  expect(terms).toEqual(numbers.flatMap((number) => grams.map((gram) => [`${String(number)}${gram}`, 1])));
});

test.each([0, 2])(
  "with %i threads, a store that was written, read and closed is one file",
  async (threads) => {
    const name = `whole_${threads}`;
    const store = await harnessOf(name, threads).open("store");
    await store.commit(records);
    expect((await store.page(ask({}))).length).toBeGreaterThan(0);
    expect(await store.checkpoint()).toBe(1);
    await store.close();
    expect(readdirSync(folder).filter((file) => file.startsWith(name))).toEqual([`${name}_store.sqlite`]);
  },
);

test("a publication is rehearsed while another process writes", async () => {
  const store = await harnessOf("rehearsed", 0).open("store");
  await store.builds.stage("Property", "mls", records, { cursor: "1" });
  const other = new Database(join(folder, "rehearsed_store.sqlite"));
  registerChecksum(other);
  other.exec(`update "Property_staged" set "cadastre_record" = '{}'; begin immediate`);
  const publication = store.builds.publish(["Property"], undefined, { rehearse: true });
  await expect(publication).rejects.toMatchObject({ code: "invalid_record" });
  other.exec("rollback");
  other.close();
  await store.close();
});

test("the versions that began after a checkpoint are found by an index", async () => {
  const store = await harnessOf("begun", 0).open("store");
  await store.commit(records);
  await store.close();
  const file = new Database(join(folder, "begun_store.sqlite"));
  const statement = sql`explain query plan select * from "Property" where ${beginning} > ${beginningValue(1)}`;
  const { text, values } = render(statement, sqlite.placeholder);
  expect(file.prepare(text).all(...values)).toMatchObject([
    { detail: "SEARCH Property USING INDEX Property_beginnings (<expr>>?)" },
  ]);
  file.close();
});

test("a record that another program changes is found in the sum of its dataset", async () => {
  const store = await harnessOf("verified", 0).open("store");
  await store.builds.stage("Property", "mls", records, { cursor: "1" });
  await store.builds.publish(["Property"]);
  await store.builds.stage("Property", "other", records.slice(4), { cursor: "1" });
  await store.builds.publish(["Property"]);
  expect(await store.builds.verify("Property")).toEqual([]);
  const other = new Database(join(folder, "verified_store.sqlite"));
  registerChecksum(other);
  const change = (record: string) =>
    other.prepare(`update "Property" set "cadastre_record" = ${record} where "ListingKey" = 'd'`).run();
  change(`replace("cadastre_record", 'Bend', 'Bent')`);
  expect(await store.builds.verify("Property")).toEqual([
    {
      resource: "Property",
      datasetId: oregon,
      detail: expect.stringMatching(
        /^3 records with the sum \w{64} were published, there are 3 records with the sum \w{64}$/,
      ) as unknown,
    },
  ]);
  change(`replace("cadastre_record", 'Bent', 'Bend')`);
  expect(await store.builds.verify("Property")).toEqual([]);
  other.exec(`update "cadastre_build" set "records" = 7`);
  expect(await store.builds.verify("Property")).toMatchObject([{ datasetId: undefined }]);
  other.exec(`update "cadastre_build" set "records" = 6`);
  other.close();
  await store.close();
});

test("places are found by their rows after the file is vacuumed", async () => {
  const harness = harnessOf("vacuumed", 0);
  const resources = [homesResource];
  const before = await harness.open("store", { resources });
  const keys = Array.from({ length: 100 }, (_, i) => `h${String(i).padStart(2, "0")}`);
  await before.commit(keys.map((key, i) => homeRecord({ key, place: [i, 0] })));
  await before.commit(keys.slice(0, 50).map((key) => homeRemoval(key)));
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

describe("datasets", () => {
  test("are named by numbers, and a count that an index answers has no guard", async () => {
    const resources = [{ ...stored, indexes: [["DatasetId", "City"]] }];
    const store = await harnessOf("numbered", 0).open("store", { resources });
    await store.commit(records);
    const prepare = vi.spyOn(Database.prototype, "prepare");
    const query = ask({ filter: "City eq 'Austin'" });
    const found = rowsOf(await store.page(query)).length;
    expect(await store.count(query)).toBe(found);
    const counts = prepare.mock.calls.map(([text]) => text).filter((text) => text.startsWith("select count"));
    prepare.mockRestore();
    expect(counts).toEqual([expect.stringContaining(`"DatasetId" in (?`)]);
    expect(counts.join()).not.toContain("cadastre_tick");
    await store.close();
  });

  test("that come after they were asked for are found by the same query", async () => {
    const [reading, writing] = [harnessOf("later", 0), harnessOf("later", 0)];
    const store = await reading.open("store");
    const query = ask({ filter: "ListingKey eq 'd'" }, scopeOf({ [oregon]: "*" }));
    expect(await store.count(query)).toBe(0);
    expect(await store.one(query)).toBeUndefined();
    const elsewhere = await writing.open("store");
    await elsewhere.commit(records);
    await elsewhere.close();
    expect(await store.count(query)).toBe(1);
    expect(await store.one(query)).toBeDefined();
    await store.close();
  });

  test("keep no number of a commit that failed", async () => {
    const store = await harnessOf("numbered", 0).open("failed");
    const nameless = { resource: "Property", datasetId: oregon, record: {} };
    await expect(store.commit([...records.slice(3), nameless])).rejects.toMatchObject({
      code: "invalid_record",
    });
    await store.commit(records);
    const keysIn = async (dataset: string) =>
      rowsOf(await store.page(ask({ select: "ListingKey" }, scopeOf({ [dataset]: "*" })))).map(
        ({ ListingKey }) => ListingKey,
      );
    expect(await keysIn(texas)).toEqual(["a", "b", "c"]);
    expect(await keysIn(oregon)).toEqual(["d", "e", "f"]);
    await store.close();
  });
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

  test.each([
    [false, 0],
    [true, 1],
  ])("is started by the first query, or with the store: startsThread %s", async (startsThread, atOnce) => {
    const started = vi.fn<(thread: Worker) => void>();
    process.on("worker", started);
    const file = join(folder, `started_${atOnce}.sqlite`);
    const store = await openSqliteStore({ file, resources: [stored], threads: 1, startsThread });
    await store.commit(records);
    await setImmediate();
    expect(started).toHaveBeenCalledTimes(atOnce);
    expect((await store.page(ask())).length).toBe(records.length);
    expect(started).toHaveBeenCalledTimes(1);
    await store.close();
    expect(started.mock.calls.map(([{ threadId }]) => threadId)).toEqual([-1]);
    process.off("worker", started);
  });
});

/** Returns the bytes that this process has read from files and sockets so far. Source: proc(5), /proc/pid/io. */
const bytesRead = () => Number(/^rchar: (\d+)/m.exec(readFileSync("/proc/self/io", "utf8"))?.[1]);

test.skipIf(process.platform !== "linux").each([
  { pageCache: 64 * 1024, rereads: true },
  { pageCache: 4 * 1024 ** 2, rereads: false },
])("a thread keeps $pageCache bytes of the file", async ({ pageCache, rereads }) => {
  const file = join(folder, `kept_${pageCache}.sqlite`);
  const store = await openSqliteStore({ file, resources: [stored], threads: 1, pageCache });
  const cities = Array.from({ length: 1000 }, (_, i) => listing(`key-${i}`, `City ${i} ${"x".repeat(400)}`));
  await store.commit(cities);
  await store.close();
  const again = await openSqliteStore({ file, resources: [stored], threads: 1, pageCache });
  const read = async () => {
    const before = bytesRead();
    expect((await again.page(ask({ top: 1000 }))).length).toBe(1000);
    return bytesRead() - before;
  };
  await read();
  await read();
  const reread = (await read()) > 400_000;
  await again.close();
  expect(reread).toBe(rereads);
});

// The last test: it reads what those before it have left.
test("every database of these tests passes the check: each statement keeps the checksums", () => {
  const files = readdirSync(folder).filter((name) => name.endsWith(".sqlite"));
  expect(files.length).toBeGreaterThan(30);
  for (const file of files) expect([file, checkSqlite(join(folder, file))]).toEqual([file, []]);
});
