import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Store } from "@cadastre/store";
import { openSqliteStore } from "@cadastre/store/sqlite";
import { afterAll, beforeAll, expect, test } from "vitest";
import { exportSource } from "../../src/delivery/export-source.ts";
import { systemScope } from "../../src/gates/scopes.ts";

let folder: string;
let store: Store;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "cadastre-source-"));
  store = await openSqliteStore({ file: join(folder, "listings.sqlite"), resources: [], threads: 0 });
});
afterAll(async () => {
  await store.close();
  await rm(folder, { recursive: true });
});

const identities = {
  resolutions: () => Promise.reject(new Error("not asked")),
  revision: () => Promise.reject(new Error("not asked")),
};

const datasets = ["listing", "listing_media", "media_assets", "property", "market_report", "public_record"];

/** What is delivered where all but these records are active. */
const deliveredWithout = (...inactive: readonly string[]): readonly string[] => {
  const source = exportSource({ store, identities, activation: { has: (name) => !inactive.includes(name) } });
  return datasets.filter((dataset) => source.columns(dataset, systemScope) !== undefined);
};

test("what has not passed its gates is not delivered", () => {
  const all = deliveredWithout();
  expect(all).toEqual(datasets);
  expect(deliveredWithout("PublicRecord")).toEqual(all.filter((name) => name !== "public_record"));
  expect(deliveredWithout("Media")).toEqual(
    all.filter((name) => name !== "listing_media" && name !== "media_assets"),
  );
  expect(deliveredWithout("MediaAsset")).toEqual(all.filter((name) => name !== "media_assets"));
  expect(deliveredWithout("Property")).toEqual(
    all.filter((name) => !["listing", "property", "market_report"].includes(name)),
  );
});
