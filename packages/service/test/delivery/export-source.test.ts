import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { datasetNames } from "@cadastre/manifest";
import { type Catalog, createCatalog } from "@cadastre/reso";
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

const datasets = datasetNames;

const sourceOf = (means: Partial<ExportMeans>) =>
  exportSource({
    store: Object.assign(store, { catalog: sampleCatalog }),
    identities,
    activation: { has: () => true },
    config: { minimumCellSize: 10 },
    ...means,
  });

/** Source of a service in which all but these records are active. */
const deliveredWithout = (...inactive: readonly string[]): readonly string[] => {
  const source = sourceOf({ activation: { has: (name) => !inactive.includes(name) } });
  return datasets.filter((dataset) => source.columns(dataset, systemScope(sampleCatalog)) !== undefined);
};

test("what has not passed its gates is not delivered", () => {
  const all = deliveredWithout();
  expect(all).toEqual(datasets);
  expect(deliveredWithout("PublicRecord")).toEqual(all.filter((name) => name !== "public_record"));
  expect(deliveredWithout("Member", "OpenHouse")).toEqual(
    all.filter((name) => name !== "member" && name !== "open_house"),
  );
  expect(deliveredWithout("Office", "Lookup")).toEqual(
    all.filter((name) => name !== "office" && name !== "lookup"),
  );
  expect(deliveredWithout("Media")).toEqual(
    all.filter((name) => name !== "listing_media" && name !== "media_assets"),
  );
  expect(deliveredWithout("MediaAsset")).toEqual(all.filter((name) => name !== "media_assets"));
  expect(deliveredWithout("Property")).toEqual(
    all.filter((name) => !["listing", "property", "market_report"].includes(name)),
  );
});

test("values of lookups are read on by no other catalog of fields that have lookups", async () => {
  const [system, ...others] = sampleCatalog.definition.systems;
  if (system === undefined) throw new Error("there is a system");
  const added = { name: `${system.prefix}Extra`, displayName: "Extra", type: "Edm.String" } as const;
  const withField = (field: object) =>
    createCatalog({
      ...sampleCatalog.definition,
      systems: [
        {
          ...system,
          fields: {
            ...system.fields,
            Property: [...(system.fields?.Property ?? []), { ...added, ...field }],
          },
        },
        ...others,
      ],
    });
  const basisOf = (catalog: Catalog) => sourceOf({ store: { ...store, catalog } }).basis?.(["lookup"]);
  const before = await basisOf(sampleCatalog);
  expect(await basisOf(withField({}))).toBe(before);
  expect(
    await basisOf(withField({ lookup: "StandardStatus", lookupStatus: "Closed with Enumerations" })),
  ).not.toBe(before);
  const request = {
    dataset: "lookup",
    scope: systemScope(sampleCatalog),
    columns: ["LookupKey"],
    checkpoint: 0,
  };
  const batches = sourceOf({}).read({ ...request, from: '["another","City-Austin"]' });
  await expect(batches[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: "basis_changed" });
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
