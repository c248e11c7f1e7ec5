import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect, follow, openTarget, serviceFeed } from "@cadastre/client";
import { generateMarket } from "@cadastre/sample";
import type { Change, StoredRecord } from "@cadastre/store";
import Database from "better-sqlite3";
import { expect, onTestFinished, test } from "vitest";
import { makeBackup } from "../../src/backup/backup.ts";
import { restoreBackup } from "../../src/backup/restore.ts";
import { readConfig } from "../../src/config.ts";
import { dataFolderAt } from "../../src/data/data-folder.ts";
import { sampleRecords } from "../../src/data/sample-records.ts";
import { startService } from "../../src/service.ts";
import { commitTo } from "../support/commit.ts";
import { customerOf, dataOf, readLines } from "../support/deliveries.ts";
import { type Running, run } from "../support/running.ts";
import { completeAt, hurry, subscriptionsRoot } from "../support/subscriptions.ts";

const listings = 60;
const asked = { filter: "ListPrice ge 400000 and StateOrProvince ne null", select: ["City", "ListPrice"] };

/** The listings of the service, as they were loaded. */
const market: readonly StoredRecord[] = [...sampleRecords(generateMarket({ seed: 1, listings }))].filter(
  ({ resource }) => resource === "Property",
);
const repriced = (from: number, to: number, price: number): readonly Change[] =>
  market.slice(from, to).map((one) => ({ ...one, record: { ...one.record, ListPrice: price } }));
const removed = (from: number, to: number): readonly Change[] =>
  market.slice(from, to).map(({ datasetId, record }) => ({
    resource: "Property",
    datasetId,
    removed: [String(record["ListingKey"])],
  }));

type Row = Readonly<Record<string, unknown>>;

/** Returns the rows of a delivery or a copy as texts, in the order of their keys. */
const textsOf = (rows: readonly Row[]): readonly string[] =>
  rows
    .map((row) => JSON.stringify([row["ListingKey"], row["City"] ?? null, Number(row["ListPrice"])]))
    .toSorted();

/** Returns what a new export with the same filter and fields has. */
async function fresh(running: Running): Promise<readonly string[]> {
  const asks = customerOf(running);
  const { rows } = await readLines<Row>(asks, await asks.complete({ domain: "listing", ...asked }));
  return textsOf(rows.get("listing") ?? []);
}

test("after a restore the next delta of a subscription with a filter is exact", async () => {
  const scratch = await mkdtemp(join(tmpdir(), "cadastre-filtered-backup-"));
  const running = await run({ CADASTRE_LISTINGS: String(listings) });
  onTestFinished(async () => {
    await running.stop();
    await rm(scratch, { recursive: true, force: true });
  });
  const asks = customerOf(running);
  const body = { name: "dear", domain: "listing", deliveryMode: "pull", cadenceSeconds: 86_400, ...asked };
  const { id } = dataOf<{ id: string }>(await asks.post(subscriptionsRoot, body));
  await completeAt(asks, id, { generation: 1, sequence: 0 });

  const file = join(scratch, "copy.sqlite");
  /** Loads what there is into the copy, and returns its rows. */
  async function followed({ service, key }: Running): Promise<readonly string[]> {
    const connection = connect({ url: service.baseUrl, apiKey: key("national") });
    const target = await openTarget(`sqlite:${file}`);
    try {
      const feed = serviceFeed(connection, id, { trust: "published", reference: "test" });
      await follow(feed, { target, staging: join(scratch, "staging"), once: true });
    } finally {
      await target.close();
    }
    const database = new Database(file, { readonly: true });
    try {
      return textsOf(database.prepare<[], Row>("select * from listing").all());
    } finally {
      database.close();
    }
  }
  const seed = await followed(running);
  expect(seed).toEqual(await fresh(running));
  expect(seed.length).toBeGreaterThan(0);

  // Of this the restored service knows nothing, nor has the copy seen it.
  await makeBackup(running, join(scratch, "backup"));
  await commitTo(running, [...removed(0, 10), ...repriced(10, 20, 1)]);

  const path = join(scratch, "restored");
  const config = readConfig({
    PORT: "0",
    CADASTRE_DATA: path,
    CADASTRE_LOG_LEVEL: "silent",
    CADASTRE_LISTINGS: String(listings),
  });
  await restoreBackup(join(scratch, "backup"), config);
  const folder = dataFolderAt(path);
  const service = await startService(config, folder);
  const restored = { ...running, service, folder, config };
  const again = customerOf(restored);
  try {
    // Some come to meet the filter, some cease to, some change, some go.
    await commitTo(restored, [...repriced(20, 30, 500_000), ...repriced(30, 40, 1), ...removed(40, 45)]);
    await hurry(again, id);
    await completeAt(again, id, { generation: 1, sequence: 1 });
    const copy = await followed(restored);
    expect(copy).toEqual(await fresh(restored));
    expect(copy).not.toEqual(seed);
    await hurry(again, id);
    await completeAt(again, id, { generation: 1, sequence: 2 });
    expect(await followed(restored)).toEqual(copy);
  } finally {
    await service.stop();
  }
}, 120_000);
