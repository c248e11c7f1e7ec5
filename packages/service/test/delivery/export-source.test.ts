import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sampleCatalog } from "@cadastre/sample/catalog";
import type { Store } from "@cadastre/store";
import { openSqliteStore } from "@cadastre/store/sqlite";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ExportMeans, exportSource } from "../../src/delivery/export-source.ts";
import { systemScope } from "../../src/identity/system-scope.ts";

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

const sourceOf = (means: Partial<ExportMeans>) =>
  exportSource({
    store: Object.assign(store, { catalog: sampleCatalog }),
    identities,
    activation: { has: () => true },
    config: { minimumCellSize: 10 },
    ...means,
  });

/** What is delivered where all but these records are active. */
const deliveredWithout = (...inactive: readonly string[]): readonly string[] => {
  const source = sourceOf({ activation: { has: (name) => !inactive.includes(name) } });
  return datasets.filter((dataset) => source.columns(dataset, systemScope(sampleCatalog)) !== undefined);
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

test("a market report is made by the size of its smallest cells, and read on by no other", async () => {
  const sources = [10, 4].map((minimumCellSize) => sourceOf({ config: { minimumCellSize } }));
  const bases = await Promise.all(sources.map(async (source) => source.basis?.(["market_report"])));
  expect(new Set(bases).size).toBe(2);
  const request = {
    dataset: "market_report",
    scope: systemScope(sampleCatalog),
    columns: ["id"],
    checkpoint: 0,
  };
  const batches = sources[1]?.read({ ...request, from: '[10,"2026-01/national:US/Residential"]' });
  const reading = batches?.[Symbol.asyncIterator]().next();
  await expect(reading).rejects.toMatchObject({ code: "basis_changed" });
});
