import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect, follow, openTarget, serviceFeed } from "@cadastre/client";
import type { Domain } from "@cadastre/manifest";
import { generateMarket } from "@cadastre/sample";
import type { Change, StoredRecord } from "@cadastre/store";
import { afterAll, beforeAll, expect, test } from "vitest";
import { databasesOf } from "../../src/data/databases.ts";
import { sampleRecords } from "../../src/data/sample-records.ts";
import { publishGated } from "../../src/gates/publication.ts";
import { sourceOf } from "../../src/ingest/sources.ts";
import { cadastre } from "../support/cli.ts";
import { customerOf, dataOf, readLines } from "../support/deliveries.ts";
import { publishOpenHouses } from "../support/open-houses.ts";
import { runClient } from "../support/program.ts";
import { type Running, run } from "../support/running.ts";
import { completeAt, hurry, subscriptionsRoot } from "../support/subscriptions.ts";

const listings = 60;
const domains: readonly Domain[] = ["office", "member", "listing", "open_house"];

let first: Running;
let second: Running;
let files: string;
const subscriptions = new Map<Domain, string>();
beforeAll(async () => {
  [first, second] = await Promise.all([
    run({ CADASTRE_LISTINGS: String(listings) }),
    run({ CADASTRE_LISTINGS: "20" }),
  ]);
  await publishOpenHouses(first);
  files = await mkdtemp(join(tmpdir(), "cadastre-receive-"));
}, 120_000);
afterAll(async () => {
  await rm(files, { recursive: true });
  await Promise.all([first.stop(), second.stop()]);
});

const receive = (args: readonly string[]) =>
  cadastre(["receive", ...args], { environment: { CADASTRE_DATA: second.folder.path } });

async function received(args: readonly string[]): Promise<string> {
  const { code, stderr } = await receive(args);
  expect([code, stderr]).toEqual([0, expect.any(String)]);
  return stderr;
}

/** Follows all subscriptions into one folder. */
async function followed(folder: string): Promise<void> {
  const connection = connect({ url: first.service.baseUrl, apiKey: first.key("national") });
  for (const id of subscriptions.values()) {
    const target = await openTarget(folder);
    try {
      await follow(serviceFeed(connection, id, { trust: "published", reference: "test" }), {
        target,
        once: true,
      });
    } finally {
      await target.close();
    }
  }
}

/** Returns the lines of all datasets of a service, for a customer who sees every system. */
async function exported(running: Running): Promise<ReadonlySet<string>> {
  const asks = customerOf(running, "national");
  const found = new Set<string>();
  for (const domain of domains) {
    const { rows } = await readLines(asks, await asks.complete({ domain }));
    for (const [dataset, own] of rows) {
      expect(own).not.toEqual([]);
      for (const row of own) found.add(`${dataset} ${JSON.stringify(row)}`);
    }
  }
  return found;
}

/** Waits until the second service exports what the first one does. */
async function expectEqual(): Promise<void> {
  const wanted = await exported(first);
  const differing = async () => {
    const found = await exported(second);
    const lines = [...wanted, ...found].filter((line) => !(wanted.has(line) && found.has(line)));
    return lines.map((line) => `${found.has(line) ? "unexpected" : "missing"} ${line}`);
  };
  await expect.poll(() => differing().catch(String), { timeout: 20_000 }).toEqual([]);
}

const market: readonly StoredRecord[] = [...sampleRecords(generateMarket({ seed: 1, listings }))];
const listed = market.filter(({ resource }) => resource === "Property");

const repriced = (from: number, to: number, price: number): readonly Change[] =>
  listed.slice(from, to).map((one) => ({
    ...one,
    record: { ...one.record, ListPrice: price, ModificationTimestamp: "2026-11-01T00:00:00.000Z" },
  }));
const removed = (from: number, to: number): readonly Change[] =>
  listed.slice(from, to).map(({ datasetId, record }) => ({
    resource: "Property",
    datasetId,
    removed: [String(record["ListingKey"])],
  }));

let batches = 0;

/** Publishes changes of listings at a service, as an ingest in another process does. Media go with their listings. */
async function publishTo({ folder }: Running, changes: readonly Change[]): Promise<void> {
  const store = await databasesOf(folder).openListings({ threads: 0 });
  try {
    for (const change of changes)
      await store.builds.stage("Property", sourceOf(store.catalog, change.datasetId), [change], {
        cursor: `test:${++batches}`,
      });
    const { builds } = await publishGated(store, ["Property"], { allowShrink: true });
    expect(builds).toHaveLength(1);
  } finally {
    await store.close();
  }
}

/** Makes the next delta of all subscriptions. */
async function delta(sequence: number): Promise<void> {
  const national = customerOf(first);
  for (const id of subscriptions.values()) await hurry(national, id);
  for (const id of subscriptions.values()) await completeAt(national, id, { sequence });
}

test("a service that receives seeds and deltas exports what its source does", async () => {
  const national = customerOf(first);
  const data = join(files, "data");
  for (const domain of domains) {
    const body = { name: domain, domain, deliveryMode: "pull", cadenceSeconds: 86_400 };
    const { id } = dataOf<{ id: string }>(await national.post(subscriptionsRoot, body));
    subscriptions.set(domain, id);
    await completeAt(national, id, { sequence: 0 });
  }
  await followed(data);

  const told = await received([data]);
  expect(told).toMatch(
    /Received the seed 1\.0 of listing as of .*: Property 60 records; Media \d+ records; MediaAsset \d+ records\./,
  );
  expect(await received([data])).toBe(`Nothing new in ${data}.`);
  await expectEqual();

  // Two deltas at once, with records that change, leave and come back.
  await publishTo(first, [...repriced(0, 5, 123_456), ...removed(10, 14)]);
  await delta(1);
  await publishTo(first, [...repriced(10, 12, 99), ...removed(2, 4)]);
  await delta(2);
  await followed(data);
  expect(await received([data, "--allow-shrink"])).toMatch(
    /delta 1\.1 of listing as of .*: Property 5 records, 4 removed; [\s\S]*delta 1\.2 of listing .*: Property 2 records, 2 removed/,
  );
  await expectEqual();

  // A delta does not fit what another ingest, or a rollback, has left.
  await publishTo(first, repriced(20, 22, 7));
  await delta(3);
  await followed(data);
  const environment = { CADASTRE_DATA: second.folder.path };
  const rollback = await cadastre(["rollback", "Property", "--yes", "--allow-shrink"], { environment });
  expect([rollback.code, rollback.stderr]).toEqual([0, expect.any(String)]);
  const differing = await receive([data]);
  expect([differing.code, differing.stderr]).toEqual([1, expect.stringContaining("add --anew")]);
  await received([data, "--anew", "--allow-shrink"]);
  await expectEqual();

  // A new generation replaces all of it, and nothing goes in great numbers without a word.
  await publishTo(first, removed(30, 40));
  for (const id of subscriptions.values())
    expect((await national.post(`${subscriptionsRoot}/${id}/reset`, {})).status).toBe(200);
  for (const id of subscriptions.values()) await completeAt(national, id, { generation: 2, sequence: 0 });
  await followed(data);
  const shrunk = await receive([data]);
  expect([shrunk.code, shrunk.stderr]).toEqual([1, expect.stringContaining("--allow-shrink")]);
  expect(await received([data, "--allow-shrink"])).toContain("seed 2.0 of listing");
  await expectEqual();
}, 300_000);

test.each(["csv", "parquet"])(
  "an export in %s is received with the same rows",
  async (format) => {
    const data = join(files, format);
    for (const domain of domains) {
      const { code, stderr } = await runClient(
        [
          "pull",
          "--url",
          first.service.baseUrl,
          "--domain",
          domain,
          "--profile",
          `${domain}-${format}`,
          "--into",
          data,
        ],
        { CADASTRE_API_KEY: first.key("national") },
      );
      expect([code, stderr]).toEqual([0, expect.any(String)]);
    }
    // One-off exports of a customer are one stream, so the second one replaces the first.
    if (format === "csv") {
      const { stderr } = await receive([data]);
      expect(stderr).toContain("give those to this one with --replace");
    }
    await received([data, "--replace"]);
    await expectEqual();
  },
  300_000,
);

test("a domain that is computed, or comes from the catalog, is refused with what to receive in its place", async () => {
  const data = join(files, "property");
  const args = ["pull", "--url", first.service.baseUrl, "--domain", "property", "--into", data];
  expect(await runClient(args, { CADASTRE_API_KEY: first.key("national") })).toMatchObject({ code: 0 });
  const { code, stderr } = await receive([data]);
  expect([code, stderr]).toEqual([
    1,
    "property is not received: properties are computed from listings: receive `listing`",
  ]);
}, 60_000);
