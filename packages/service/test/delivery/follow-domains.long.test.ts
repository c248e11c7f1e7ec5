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
import { publishOpenHouses } from "../support/open-houses.ts";
import { type Running, run } from "../support/running.ts";
import { completeAt, hurry, subscriptionsRoot } from "../support/subscriptions.ts";

const listings = 80;
const folder = mkdtempSync(join(tmpdir(), "cadastre-follow-domains-"));

let running: Running;
let national: ReturnType<typeof customerOf>;
let connection: Connection;
beforeAll(async () => {
  running = await run({ CADASTRE_LISTINGS: String(listings) });
  await publishOpenHouses(running);
  national = customerOf(running);
  connection = connect({ url: running.service.baseUrl, apiKey: running.key("national") });
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await running.stop();
});

/** Domains beside those of listings, with their resources and keys, and a field that changes. */
const domains = [
  { domain: "office", resource: "Office", key: "OfficeKey", field: "OfficeName" },
  { domain: "member", resource: "Member", key: "MemberKey", field: "MemberFullName" },
  { domain: "open_house", resource: "OpenHouse", key: "OpenHouseKey", field: "OpenHouseRemarks" },
  { domain: "lookup", resource: "Lookup", key: "LookupKey", field: "LegacyODataValue" },
] as const;

const records: readonly StoredRecord[] = [...sampleRecords(generateMarket({ seed: 1, listings }))];

/** Changes two records of each domain, and removes two others. */
const changes = (text: string): readonly Change[] =>
  domains.flatMap(({ resource, key, field }) => {
    const own = records.filter((one) => one.resource === resource).slice(0, 4);
    expect(own).toHaveLength(4);
    return own.map((one, k): Change => {
      const { datasetId, record } = one;
      if (k >= 2) return { resource, datasetId, removed: [String(record[key])] };
      const ModificationTimestamp = "2026-11-01T00:00:00.000Z";
      return { ...one, record: { ...record, [field]: text, ModificationTimestamp } };
    });
  });
const original = records.filter(({ resource }) => domains.some((one) => one.resource === resource));

describe.each([
  ["sqlite", "jsonl"],
  ["duckdb", "parquet"],
  ["postgres", "csv"],
] as const)("%s from %s", (kind, format) => {
  // A machine without PostgreSQL has no copy in it.
  test.skipIf(!hasCopies[kind])(
    "has the members, offices, open houses and lookups of the service at every step",
    async () => {
      const copies = await openCopies[kind]();
      onTestFinished(() => copies.close());
      onTestFinished(() => commitTo(running, original));
      const subscriptions: { readonly id: string; readonly domain: (typeof domains)[number]["domain"] }[] =
        [];
      for (const { domain } of domains) {
        const body = { name: `${domain} ${kind}`, domain, deliveryMode: "pull", cadenceSeconds: 86_400 };
        const reply = await national.post(subscriptionsRoot, { ...body, profileId: `${domain}-${format}` });
        expect([reply.status, reply.text]).toEqual([201, expect.any(String)]);
        subscriptions.push({ ...dataOf<{ readonly id: string }>(reply), domain });
      }
      /** Follows all domains into one database, and compares each with a fresh export. Returns what was removed. */
      const followed = async (sequence: number): Promise<number> => {
        let removed = 0;
        for (const { id } of subscriptions) {
          await completeAt(national, id, { generation: 1, sequence });
          const target = await openTarget(await copies.target("copy"));
          try {
            await follow(serviceFeed(connection, id, { trust: "published", reference: "test" }), {
              target,
              staging: join(folder, kind),
              once: true,
              onLoaded: ({ manifest }) => {
                removed += manifest.totals.removalCount;
              },
            });
          } finally {
            await target.close();
          }
        }
        for (const { domain } of subscriptions)
          await requireView(connection, copies, { copy: "copy", domain, profileId: `${domain}-${format}` });
        return removed;
      };
      expect(await followed(0)).toBe(0);
      await commitTo(running, changes("changed"));
      for (const { id } of subscriptions) await hurry(national, id);
      expect(await followed(1)).toBe(8);
      expect(JSON.stringify(await copies.rows("copy", "office"))).toContain("changed");
      await commitTo(running, original);
      for (const { id } of subscriptions) await hurry(national, id);
      expect(await followed(2)).toBe(0);
    },
    180_000,
  );
});
