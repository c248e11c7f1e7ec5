import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { generateMarket } from "@cadastre/sample";
import { sampleCatalog } from "@cadastre/sample/catalog";
import { afterEach, beforeEach, expect, test } from "vitest";
import { sampleRecords } from "../../src/data/sample-records.ts";
import { findInvalidValues } from "../../src/data/stored-values.ts";
import { bare, openEmptyStore, system } from "../support/ingesting.ts";

const { resource } = sampleCatalog;

type Opened = Awaited<ReturnType<typeof openEmptyStore>>;
let opened: Opened;
let folder: string;
beforeEach(async () => {
  opened = await openEmptyStore();
  folder = await mkdtemp(join(tmpdir(), "cadastre-scan-"));
});
afterEach(async () => {
  await opened.close();
  await rm(folder, { recursive: true });
});

const point = (longitude: number, latitude: number) => ({
  type: "Point",
  coordinates: [longitude, latitude],
});

const scanned = async () => {
  const { records, invalid, found } = await findInvalidValues(
    Object.assign(opened.store, { catalog: sampleCatalog }),
  );
  return [records, invalid, ...found.map((one) => `${one.property} ${one.code} ${one.records}`)];
};

/** Stores listings as a version without the checks did. */
const store = (...listings: readonly Readonly<Record<string, unknown>>[]) =>
  opened.store.commit(
    listings.map((record, i) => ({
      resource: "Property",
      datasetId: system.datasetId,
      record: bare(`k${String(i).padStart(3, "0")}`, record),
    })),
  );

test("values that ingest does not take are counted by property and code, and change nothing", async () => {
  await store(
    { ListPrice: 12.34, Latitude: 30, Longitude: -97, Coordinates: point(-97, 30) },
    { ListPrice: "12" },
    { ListPrice: "1e3" },
    { ListPrice: 12.345678 },
    { ListPrice: 1e12 },
    { Latitude: 95, Longitude: -97, Coordinates: point(-97, 95) },
    { Latitude: 30.267153123456, Longitude: -97, Coordinates: point(-97, 30.267153123456) },
    { Latitude: 30, Longitude: -97, Coordinates: point(-90, 40) },
    { Latitude: 30, Longitude: -97 },
    { Coordinates: point(-90, 40) },
    { StandardStatus: "Activ", City: "x".repeat(5000) },
  );
  const before = await opened.store.checkpoint();
  expect(await scanned()).toEqual([
    11,
    10,
    "City too_long 1",
    "Coordinates not_computed 3",
    "Latitude out_of_range 1",
    "Latitude too_precise 1",
    "ListPrice too_large 1",
    "ListPrice too_precise 1",
    "ListPrice wrong_form 2",
    "StandardStatus unknown_lookup_value 1",
  ]);
  expect(await opened.store.checkpoint()).toBe(before);
});

test("the first keys of each fault are told, and written to the report", async () => {
  await store(...Array.from({ length: 1200 }, () => ({ ListPrice: 0.001 })));
  const report = join(folder, "invalid.jsonl");
  const progress: number[] = [];
  const { found } = await findInvalidValues(Object.assign(opened.store, { catalog: sampleCatalog }), {
    report,
    progress: (name, records) => name === "Property" && progress.push(records),
  });
  expect(found).toEqual([
    {
      resource: "Property",
      property: "ListPrice",
      code: "too_precise",
      reason: expect.stringContaining("Scale") as string,
      records: 1200,
      keys: Array.from({ length: 10 }, (_, i) => `k00${i}`),
    },
  ]);
  expect(progress).toEqual([500, 1000, 1200]);
  expect(JSON.parse(await readFile(report, "utf8"))).toEqual(found[0]);
});

test("the sample market has none", async () => {
  const names = new Set<string>();
  const records = [...sampleRecords(generateMarket({ seed: 1, listings: 300 }))];
  for (const { resource: name } of records) names.add(resource(name as "Property").name);
  await opened.store.commit(records);
  expect(names.size).toBe(8);
  expect(await scanned()).toEqual([records.length, 0]);
});
