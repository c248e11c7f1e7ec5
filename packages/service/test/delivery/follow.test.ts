import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { generateMarket } from "@cadastre/sample";
import type { Change, StoredRecord } from "@cadastre/store";
import { openSqliteStore } from "@cadastre/store/sqlite";
import { DuckDBInstance } from "@duckdb/node-api";
import Database from "better-sqlite3";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  type Connection,
  connect,
  exportOnce,
  follow,
  openTarget,
  pull,
  serviceFeed,
} from "../../../client/src/index.ts";
import { storedResources } from "../../src/catalog.ts";
import { sampleRecords } from "../../src/data/sample-records.ts";
import { customerOf, dataOf } from "../support/deliveries.ts";
import { type Running, run } from "../support/running.ts";

const listings = 80;
const root = "/v1/file-export-subscriptions";
const tables = ["listing", "listing_media", "media_assets"];
const folder = mkdtempSync(join(tmpdir(), "cadastre-follow-"));

let running: Running;
let national: ReturnType<typeof customerOf>;
let connection: Connection;
beforeAll(async () => {
  running = await run({ CADASTRE_LISTINGS: String(listings), CADASTRE_PART_BYTES: "300000" });
  national = customerOf(running);
  connection = connect({ url: running.service.baseUrl, apiKey: running.key("national") });
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await running.stop();
});

type Dump = (file: string, table: string) => Promise<readonly object[]>;

/** Rows as texts, without what is null, whatever the order of columns and rows is. */
const byText = (rows: readonly object[]): readonly string[] =>
  rows
    .map((row) => {
      const members = Object.entries(row).filter(([, value]) => value !== null);
      return JSON.stringify(members.toSorted(([a], [b]) => (a < b ? -1 : 1)));
    })
    .toSorted();

const dumps: Readonly<Record<"sqlite" | "duckdb", Dump>> = {
  sqlite: async (file, table) => {
    const database = new Database(file, { readonly: true });
    try {
      return database.prepare<[], object>(`select * from ${table}`).all();
    } finally {
      database.close();
    }
  },
  duckdb: async (file, table) => {
    const instance = await DuckDBInstance.create(file);
    const database = await instance.connect();
    try {
      return (await database.runAndReadAll(`select * from ${table}`)).getRowObjectsJson();
    } finally {
      database.closeSync();
      instance.closeSync();
    }
  },
};

/** What is loaded where; each delivery in Parquet takes its seconds to be built. */
const targets = [
  { kind: "sqlite", profileId: "listing-jsonl", deltas: 3, generations: 2 },
  { kind: "duckdb", profileId: "listing-parquet", deltas: 2, generations: 1 },
] as const;

/** The listings of the service, as they were loaded. */
const market: readonly StoredRecord[] = [...sampleRecords(generateMarket({ seed: 1, listings }))].filter(
  ({ resource }) => resource === "Property",
);

async function commit(changes: readonly Change[]): Promise<void> {
  const store = await openSqliteStore({
    file: running.folder.database,
    resources: storedResources,
    threads: 0,
  });
  await store.commit(changes);
  await store.close();
}

const keyOf = ({ record }: StoredRecord): string => String(record["ListingKey"]);
const repriced = (from: number, to: number, price: number): readonly Change[] =>
  market.slice(from, to).map((one) => ({
    ...one,
    record: { ...one.record, ListPrice: price, ModificationTimestamp: "2026-11-01T00:00:00.000Z" },
  }));
const removed = (from: number, to: number): readonly Change[] => [
  { resource: "Property", removed: market.slice(from, to).map(keyOf) },
];

/** Waits until a place is complete. */
async function delivered(id: string, generation: number, sequence: number): Promise<void> {
  for (;;) {
    const [last] = dataOf<{ status: string; generation: number; sequence: number }[]>(
      await national.get(`${root}/${id}/deliveries?limit=1`),
    );
    const { status } = last ?? {};
    if (last?.generation === generation && last.sequence === sequence && status === "complete") return;
    expect(["queued", "building", "complete", undefined]).toContain(status);
    await setTimeout(50);
  }
}

test.each(targets)(
  "a copy in $kind is the service's view at every step",
  async ({ kind, profileId, deltas, generations }) => {
    const file = join(folder, `copy.${kind}`);
    const staging = join(folder, `staging-${kind}`);
    const body = { name: kind, domain: "listing", deliveryMode: "pull", cadenceSeconds: 86_400, profileId };
    const created = await national.post(root, body);
    expect([created.status, created.text]).toEqual([201, expect.any(String)]);
    const { id } = dataOf<{ id: string }>(created);
    const feed = serviceFeed(connection, id, { trust: "published", reference: "test" });

    const followed = async (): Promise<readonly string[]> => {
      const target = await openTarget(`${kind}:${file}`);
      const places: string[] = [];
      const onLoaded = ({ manifest }: { manifest: { generation: number; sequence: number } }) =>
        void places.push(`${manifest.generation}.${manifest.sequence}`);
      try {
        await follow(feed, { target, staging, once: true, onLoaded });
      } finally {
        await target.close();
      }
      return places;
    };
    let views = 0;
    /** All that a new snapshot has, loaded into a place of its own. */
    const requireView = async () => {
      const view = join(folder, `view-${++views}.${kind}`);
      const target = await openTarget(`${kind}:${view}`);
      const pending = await exportOnce(connection, { domain: "listing", profileId }, { staging });
      await pull(connection, pending.id, { target, staging, trust: "published", reference: null });
      await pending.done();
      await target.close();
      for (const table of tables)
        expect(byText(await dumps[kind](file, table))).toEqual(byText(await dumps[kind](view, table)));
    };
    await delivered(id, 1, 0);
    expect(await followed()).toEqual(["1.0"]);
    await requireView();
    const steps: readonly (readonly Change[])[] = [
      [...removed(0, 10), ...repriced(20, 30, 123_456)],
      [],
      [...repriced(0, 5, 99), ...removed(25, 28)],
    ];
    for (const [k, changes] of steps.slice(0, deltas).entries()) {
      if (changes.length > 0) await commit(changes);
      for (const step of ["pause", "resume"])
        expect((await national.post(`${root}/${id}/${step}`, {})).status).toBe(200);
      await delivered(id, 1, k + 1);
      // Two at once are followed in their order.
      if (k === 0) continue;
      expect(await followed()).toEqual(k === 1 ? ["1.1", "1.2"] : [`1.${k + 1}`]);
      await requireView();
    }
    if (generations > 1) {
      await commit([...removed(40, 60), ...market.slice(0, 10)]);
      expect((await national.post(`${root}/${id}/reset`, {})).status).toBe(200);
      await delivered(id, 2, 0);
      expect(await followed()).toEqual(["2.0"]);
      await requireView();
    }
    expect(await followed()).toEqual([]);
    await commit(market);
  },
  120_000,
);
