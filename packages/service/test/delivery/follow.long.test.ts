import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Connection, connect, follow, openTarget, serviceFeed } from "@cadastre/client";
import { generateMarket } from "@cadastre/sample";
import type { Change, StoredRecord } from "@cadastre/store";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { sampleRecords } from "../../src/data/sample-records.ts";
import { commitTo } from "../support/commit.ts";
import { hasCopies, openCopies, requireView } from "../support/copies.ts";
import { customerOf, dataOf } from "../support/deliveries.ts";
import { type Running, run } from "../support/running.ts";
import { completeAt } from "../support/subscriptions.ts";

const listings = 80;
const root = "/v1/file-export-subscriptions";
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

/** What is loaded where; each delivery in Parquet takes its seconds to be built. */
const targets = [
  { kind: "sqlite", profileId: "listing-jsonl", deltas: 3, generations: 2 },
  { kind: "duckdb", profileId: "listing-parquet", deltas: 2, generations: 1 },
  { kind: "postgres", profileId: "listing-jsonl", deltas: 2, generations: 1 },
] as const;

/** The listings of the service, as they were loaded. */
const market: readonly StoredRecord[] = [...sampleRecords(generateMarket({ seed: 1, listings }))].filter(
  ({ resource }) => resource === "Property",
);

const keyOf = ({ record }: StoredRecord): string => String(record["ListingKey"]);
const repriced = (from: number, to: number, price: number): readonly Change[] =>
  market.slice(from, to).map((one) => ({
    ...one,
    record: { ...one.record, ListPrice: price, ModificationTimestamp: "2026-11-01T00:00:00.000Z" },
  }));
const removed = (from: number, to: number): readonly Change[] =>
  market.slice(from, to).map((one) => ({
    resource: "Property",
    datasetId: one.datasetId,
    removed: [keyOf(one)],
  }));

const delivered = (id: string, generation: number, sequence: number) =>
  completeAt(national, id, { generation, sequence });

describe.each(targets)("$kind", ({ kind, profileId, deltas, generations }) => {
  // A machine without PostgreSQL has no copy in it.
  test.skipIf(!hasCopies[kind])(
    "has the service's view at every step",
    async () => {
      const copies = await openCopies[kind]();
      onTestFinished(() => copies.close());
      const staging = join(folder, kind);
      const body = { name: kind, domain: "listing", deliveryMode: "pull", cadenceSeconds: 86_400, profileId };
      const created = await national.post(root, body);
      expect([created.status, created.text]).toEqual([201, expect.any(String)]);
      const { id } = dataOf<{ id: string }>(created);
      const feed = serviceFeed(connection, id, { trust: "published", reference: "test" });

      const followed = async (): Promise<readonly string[]> => {
        const target = await openTarget(await copies.target("copy"));
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
      const isCurrent = () => requireView(connection, copies, { copy: "copy", domain: "listing", profileId });
      await delivered(id, 1, 0);
      expect(await followed()).toEqual(["1.0"]);
      await isCurrent();
      const steps: readonly (readonly Change[])[] = [
        [...removed(0, 10), ...repriced(20, 30, 123_456)],
        [],
        [...repriced(0, 5, 99), ...removed(25, 28)],
      ];
      for (const [k, changes] of steps.slice(0, deltas).entries()) {
        if (changes.length > 0) await commitTo(running, changes);
        for (const step of ["pause", "resume"])
          expect((await national.post(`${root}/${id}/${step}`, {})).status).toBe(200);
        await delivered(id, 1, k + 1);
        // Two at once are followed in their order.
        if (k === 0) continue;
        expect(await followed()).toEqual(k === 1 ? ["1.1", "1.2"] : [`1.${k + 1}`]);
        await isCurrent();
      }
      if (generations > 1) {
        await commitTo(running, [...removed(40, 60), ...market.slice(0, 10)]);
        expect((await national.post(`${root}/${id}/reset`, {})).status).toBe(200);
        await delivered(id, 2, 0);
        expect(await followed()).toEqual(["2.0"]);
        await isCurrent();
      }
      expect(await followed()).toEqual([]);
      await commitTo(running, market);
    },
    120_000,
  );
});
