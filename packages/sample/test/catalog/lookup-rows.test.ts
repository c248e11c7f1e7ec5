import { expect, test } from "vitest";
import { sampleCatalog, sampleSystems } from "../../src/catalog/index.ts";

const { names: lookupNames, rows: lookupRows, values: lookupValues } = sampleCatalog.lookups;

const rows = [...lookupRows()];
const [lonestar, hillcountry] = sampleSystems;

test("a standard value is shared by all datasets and its own standard", () => {
  expect(rows.find(({ record }) => record.LookupKey === "StandardStatus-ActiveUnderContract")).toEqual({
    datasetId: null,
    record: {
      LookupKey: "StandardStatus-ActiveUnderContract",
      LookupName: "StandardStatus",
      LookupValue: "Active Under Contract",
      StandardLookupValue: "Active Under Contract",
      LegacyODataValue: "ActiveUnderContract",
      ModificationTimestamp: expect.stringMatching(/^2024-06-01T00:00:0\d\.\d{3}Z$/) as string,
    },
  });
});

test("a local value is of its system's dataset, and no standard", () => {
  const local = rows.filter(({ record }) => record.LookupName.startsWith("HCX_"));
  const system = sampleSystems.find(({ prefix }) => prefix === "HCX_");
  expect(new Set(local.map(({ datasetId }) => datasetId))).toEqual(new Set([system?.datasetId]));
  expect(new Set(local.map(({ record }) => record.StandardLookupValue))).toEqual(new Set([null]));
});

test("there is a row for every value of every lookup, each under a key of its own", () => {
  expect(rows).toHaveLength(lookupNames.flatMap(lookupValues).length);
  expect(new Set(rows.map(({ record }) => record.LookupKey)).size).toBe(rows.length);
});

test("no two rows have changed at once, so that they can be paged by time alone", () => {
  expect(new Set(rows.map(({ record }) => record.ModificationTimestamp)).size).toBe(rows.length);
});

test("a value that two systems bring has a key of each", () => {
  const own = [lonestar, hillcountry].map(({ datasetId }) => ({
    datasetId,
    lookupName: "City",
    value: "St. Jo",
  }));
  const added = [...lookupRows(own)].slice(rows.length);
  expect(
    added.map(({ datasetId, record }) => [datasetId, record.LookupKey, record.LegacyODataValue]),
  ).toEqual([
    [lonestar.datasetId, "LSM_City-StJo", "StJo"],
    [hillcountry.datasetId, "HCX_City-StJo", "StJo"],
  ]);
  expect(added.map(({ record }) => record.StandardLookupValue)).toEqual([null, null]);
});

test("no local lookup has the keys of another lookup's own values", () => {
  for (const { prefix } of sampleSystems)
    for (const name of lookupNames) expect(lookupNames).not.toContain(prefix + name);
});

test("keys need no encoding in an address", () => {
  for (const { record } of rows) expect(record.LookupKey).toMatch(/^[\w-]+$/);
});

test("all rows are within reach of `$skip`", () => {
  expect(rows.length).toBeLessThan(10_000);
});
