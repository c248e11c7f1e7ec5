import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { whatPart, wherePart } from "../src/placekey.ts";
import { groupBy, properties, text } from "./support/market.ts";

/** Written by `@placekey/placekey` 1.0.3: latitude, longitude, where part. */
const golden = JSON.parse(
  readFileSync(new URL("./golden/placekeys.json", import.meta.url), "utf8"),
) as readonly (readonly [number, number, string])[];

test("where parts are those of the reference implementation", () => {
  expect(golden.length).toBeGreaterThan(80);
  for (const [latitude, longitude, where] of golden) expect(wherePart(latitude, longitude)).toBe(where);
});

test("the golden points meet stand-ins and padding", () => {
  expect(golden.filter(([, , where]) => /[eu]/.test(where)).length).toBeGreaterThan(9);
  expect(golden.some(([, , where]) => where.startsWith("a"))).toBe(true);
});

test("a what part has two groups of three and depends on the address", () => {
  expect(whatPart("1 Main Street")).toMatch(/^[2-9b-df-hjkmnp-tv-z]{3}-[2-9b-df-hjkmnp-tv-z]{3}$/);
  expect(whatPart("1 Main Street")).not.toBe(whatPart("2 Main Street"));
});

test("a record's Placekey lies where its coordinates are", () => {
  let found = 0;
  for (const { Placekey, Latitude, Longitude } of properties) {
    if (typeof Placekey !== "string" || Latitude === undefined) continue;
    found++;
    expect(Placekey.split("@")[1]).toBe(wherePart(Number(Latitude), Number(Longitude)));
  }
  expect(found).toBeGreaterThan(2000);
});

const shared = [...groupBy(properties, "Placekey").values()].filter(({ length }) => length > 1);

test("one Placekey is one parcel at one address", () => {
  for (const records of shared) {
    for (const name of ["UniversalPropertyId", "UnparsedAddress", "ParcelNumber"]) {
      expect(groupBy(records, name).size).toBeLessThanOrEqual(1);
    }
  }
});

test("the same property is listed by two systems, for sale and for lease, now and before", () => {
  const withTwo = (name: string): number =>
    shared.filter((records) => groupBy(records, name).size > 1).length;
  expect(withTwo("OriginatingSystemName")).toBeGreaterThan(50);
  const isLease = (type: unknown): boolean => String(type).endsWith("Lease");
  const both = shared.filter(
    (records) => new Set(records.map(({ PropertyType }) => isLease(PropertyType))).size === 2,
  );
  expect(both.length).toBeGreaterThan(50);
  const years = (record: (typeof properties)[number]): number =>
    Number(text(record, "ListingContractDate")?.slice(0, 4) ?? 2026);
  const historic = shared.filter(
    (records) => Math.max(...records.map(years)) - Math.min(...records.map(years)) >= 2,
  );
  expect(historic.length).toBeGreaterThan(50);
});

test("some listings have no Placekey, a few of them nowhere", () => {
  const without = properties.filter(({ Placekey }) => Placekey === undefined);
  expect(without.length).toBeGreaterThan(properties.length * 0.05);
  expect(without.length).toBeLessThan(properties.length * 0.2);
});
