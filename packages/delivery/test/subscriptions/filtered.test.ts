import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterAll, beforeAll, expect, test } from "vitest";
import { statusOf } from "../../src/index.ts";
import type { Granted } from "../support/market.ts";
import { day, Subscribed } from "../support/subscribed.ts";

const folder = mkdtempSync(join(tmpdir(), "cadastre-filtered-"));
const texas: Granted = { states: ["TX"], fields: "*" };
const narrow: Granted = { states: ["TX"], fields: ["City", "StateOrProvince"] };

let service: Subscribed;
let id: string;
beforeAll(async () => {
  service = await Subscribed.open(folder, texas);
  ({ id } = await service.subscribe({ filter: "ListPrice ge 2", select: ["ListPrice"] }));
});
afterAll(async () => {
  await service.close();
  rmSync(folder, { recursive: true });
});

/** Puts listings with prices, and lets a day pass. Returns the prices of the copy. */
async function priced(prices: Readonly<Record<string, number | undefined>>) {
  await service.edit(
    Object.entries(prices).map(([key, ListPrice]) => ({
      set: "Property",
      key,
      values: ListPrice === undefined ? undefined : { StateOrProvince: "TX", ListPrice },
    })),
  );
  return passed();
}

const follower: { current?: ReturnType<Subscribed["follower"]> } = {};

async function passed() {
  follower.current ??= service.follower();
  service.now += day;
  await service.tick(2);
  await service.workAll();
  await service.tick();
  for (const delivery of await service.unread(id, follower.current)) await follower.current.apply(delivery);
  const copy = follower.current.copy.get("listing") ?? new Map<string, string>();
  return Object.fromEntries(
    [...copy].map(([key, line]) => [key, (JSON.parse(line) as { ListPrice: number }).ListPrice]),
  );
}

const place = async () => {
  const found = await service.subscriptions.find(service.caller, id);
  return [statusOf(found), found.generation, found.code];
};

test("a record that comes to meet the filter is a row, one that ceases to a removal", async () => {
  expect(await priced({ a: 1, b: 2, c: 3 })).toEqual({ b: 2, c: 3 });
  expect(await priced({ a: 2, b: 1, c: 4 })).toEqual({ a: 2, c: 4 });
  expect(await priced({ c: undefined })).toEqual({ a: 2 });
  expect(await place()).toEqual(["active", 1, null]);
});

test("a scheduler that knows no filters finds no such profile; what it suspends goes on at once", async () => {
  const { subscriptions } = service.registry;
  const database = new Database(join(folder, "registry.sqlite"), { readonly: true });
  expect(database.prepare("select profile from cadastre_subscription").pluck().get()).toBe("small?");
  database.close();
  const found = await service.subscriptions.find(service.caller, id);
  expect(found.profile).toBe("small");
  const later = service.now + 10 * day;
  await subscriptions.step(found, { changes: { state: "suspended", code: "unknown_profile", due: later } });
  expect(await priced({ d: 5 })).toEqual({ a: 2, d: 5 });
  expect(await place()).toEqual(["active", 1, null]);
});

test("a filter on what is no longer shown suspends, and goes on with a seed once it is shown again", async () => {
  await service.grant(narrow);
  await priced({ e: 6 });
  expect(await place()).toEqual(["suspended", 1, "filter_outdated"]);
  await service.grant(texas);
  expect(await passed()).toEqual({ a: 2, d: 5, e: 6 });
  expect((await place())[0]).toBe("active");
});

test("a worker that knows no filters cannot read what a delivery is pinned to", async () => {
  const [delivery] = await service.registry.subscriptions.deliveries("customer", id, 1);
  const pinned = JSON.parse(delivery?.pinned ?? "{}") as Readonly<Record<string, unknown>>;
  expect(pinned["profile"]).toBeUndefined();
  expect(pinned["filtered"]).toMatchObject({ filter: "ListPrice ge 2", id: "small" });
});
