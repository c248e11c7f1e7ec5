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
import { createApiKey } from "../../src/access/key-text.ts";
import { ask } from "../support/ask.ts";
import { cadastre } from "../support/cli.ts";
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

test("a copy is deleted when the customer is removed, which its keys are told until then alone", async () => {
  const name = "state";
  const asked = customerOf(running, name);
  const body = { name: "copy", domain: "listing", deliveryMode: "pull", cadenceSeconds: 86_400 };
  const { id } = dataOf<{ id: string }>(await asked.post(subscriptionsRoot, body));
  const [file, receipt] = [join(folder, "removed.sqlite"), join(folder, "removed.json")];
  const apiKey = running.key(name);
  const feed = serviceFeed(connect({ url: running.service.baseUrl, apiKey }), id, {
    trust: "published",
    reference: "test",
  });
  const delivered = async () =>
    dataOf<{ last_delivered: object | null }>(await asked.get(`${subscriptionsRoot}/${id}`)).last_delivered;
  await expect.poll(delivered, { timeout: 20_000 }).not.toBeNull();
  await followOnce(feed, file, receipt);
  const rows = rowsIn(file);
  expect(rows).toBeGreaterThan(0);

  const environment = { CADASTRE_DATA: running.folder.path };
  const operate = async (...args: readonly string[]) => {
    const { code, stdout, stderr } = await cadastre(args, { environment });
    expect([code, stderr]).toEqual([0, expect.any(String)]);
    return stdout;
  };
  // Another key, which ends before: whoever has it is told nothing of the customer.
  const issued = JSON.parse(await operate("key", "create", `demo-${name}`, "--json")) as {
    readonly id: string;
    readonly apiKey: string;
  };
  const refusalOf = async (key: string) => {
    const { status, text } = await ask(running.service.baseUrl, `${subscriptionsRoot}/${id}`, {
      "x-api-key": key,
    });
    return [status, (JSON.parse(text) as { readonly error?: string }).error];
  };
  expect((await refusalOf(issued.apiKey))[0]).toBe(200);
  await operate("key", "revoke", issued.id, "--yes");
  await expect.poll(() => refusalOf(issued.apiKey), { timeout: 10_000 }).toEqual([401, "unauthorized"]);
  await expect(followOnce(feed, file, receipt)).resolves.toBeUndefined();
  await operate("customer", "remove", `demo-${name}`, "--yes");
  await expect.poll(() => refusalOf(apiKey), { timeout: 10_000 }).toEqual([401, "access_removed"]);
  expect(await refusalOf(issued.apiKey)).toEqual([401, "unauthorized"]);
  expect(await refusalOf(createApiKey())).toEqual([401, "unauthorized"]);
  expect(rowsIn(file)).toBe(rows);
  await expect(followOnce(feed, file, receipt)).rejects.toMatchObject({ code: "access_removed" });
  expect(rowsIn(file)).toBe(0);
  const written = JSON.parse(await readFile(receipt, "utf8")) as PurgeReceipt;
  expect(written).toMatchObject({ subscription: id, state: "done", last: { generation: 1, sequence: 0 } });
}, 60_000);

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
