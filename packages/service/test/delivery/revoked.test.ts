import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  connect,
  type DeliveryFeed,
  follow,
  openTarget,
  type PurgeReceipt,
  purgeCopy,
  serviceFeed,
} from "@cadastre/client";
import type { Entitlement } from "@cadastre/entitlement";
import Database from "better-sqlite3";
import { afterAll, beforeAll, expect, test } from "vitest";
import { customerOf, dataOf } from "../support/deliveries.ts";
import { entitle } from "../support/entitle.ts";
import { type Running, run } from "../support/running.ts";
import { subscriptionsRoot } from "../support/subscriptions.ts";

let running: Running;
let folder = "";
beforeAll(async () => {
  running = await run({ CADASTRE_LISTINGS: "150" });
  folder = await mkdtemp(join(tmpdir(), "cadastre-revoked-"));
}, 60_000);
afterAll(async () => {
  await running.stop();
  await rm(folder, { recursive: true });
});

const rowsIn = (file: string): number => {
  const database = new Database(file, { readonly: true });
  try {
    return (database.prepare("select count(*) as n from listing").get() as { readonly n: number }).n;
  } finally {
    database.close();
  }
};

/** Loads what a feed has into a SQLite file, and purges that when it is revoked. */
async function followOnce(feed: DeliveryFeed, file: string, receipt: string): Promise<void> {
  const target = await openTarget(`sqlite:${file}`);
  const staging = join(folder, "staging");
  try {
    await follow(feed, {
      target,
      staging,
      once: true,
      onRevoked: async (last) => {
        if (last !== undefined) await purgeCopy({ target, staging }, last, { file: receipt, title: file });
      },
    });
  } finally {
    await target.close();
  }
}

test.each<[string, string, (before: Entitlement) => Entitlement, boolean]>([
  ["a product is revoked", "market", (before) => ({ ...before, products: ["property"] }), false],
  [
    "the channel is revoked",
    "national",
    (before) => ({ ...before, channels: { api: true, odata: true, file_delivery: false } }),
    true,
  ],
])(
  "a copy is deleted when %s",
  async (_, customer, change, isRefused) => {
    const asked = customerOf(running, customer);
    const body = { name: "copy", domain: "listing", deliveryMode: "pull", cadenceSeconds: 86_400 };
    const { id } = dataOf<{ id: string }>(await asked.post(subscriptionsRoot, body));
    const connection = connect({ url: running.service.baseUrl, apiKey: running.key(customer) });
    const feed = serviceFeed(connection, id, { trust: "published", reference: "test" });
    const [file, receipt] = [join(folder, `${customer}.sqlite`), join(folder, `${customer}.json`)];
    const last = async () =>
      dataOf<{ last_delivered: object | null }>(await asked.get(`${subscriptionsRoot}/${id}`));
    await expect.poll(async () => (await last()).last_delivered, { timeout: 20_000 }).not.toBeNull();
    await followOnce(feed, file, receipt);
    const rows = rowsIn(file);
    expect(rows).toBeGreaterThan(0);
    await entitle(running, customer, change);
    await expect
      .poll(async () => dataOf(await asked.get(`${subscriptionsRoot}/${id}`)), { timeout: 20_000 })
      .toMatchObject({ purge_required: true, status: "suspended", failure: { code: "entitlement_expired" } });
    const following = followOnce(feed, file, receipt);
    if (isRefused) await expect(following).rejects.toMatchObject({ code: "forbidden" });
    else await following;
    expect(rowsIn(file)).toBe(0);
    const written = JSON.parse(await readFile(receipt, "utf8")) as PurgeReceipt;
    expect(written).toMatchObject({ subscription: id, state: "done", last: { generation: 1, sequence: 0 } });
    expect(written.deleted).toContainEqual({ name: "listing", rows });
  },
  60_000,
);
