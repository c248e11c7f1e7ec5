import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { generateMarket, type SampleRow } from "../src/index.ts";
import { sampleResources } from "../src/market.ts";
import { groupBy, listings, market, properties, text } from "./support/market.ts";

const hash = (rows: Iterable<unknown>): string => {
  const sum = createHash("sha256");
  for (const row of rows) sum.update(JSON.stringify(row));
  return sum.digest("hex");
};

test("a seed gives the same rows for ever", () => {
  expect(hash(generateMarket({ seed: 1, listings: 200 }).allRows())).toMatchInlineSnapshot(
    `"dc78a5fc15e7cad003f421e8dbf07724553273f7d97b01cf514306e4904ed470"`,
  );
});

test("another seed gives another market", () => {
  expect(generateMarket({ seed: 8, listings: 1 }).listing(0)).not.toEqual(market.listing(0));
});

test("a smaller market is the beginning of a larger one", () => {
  const some = generateMarket({ seed: 7, listings: 1000 });
  expect([...some.listingsWithMedia()]).toEqual(listings.slice(0, 1000));
});

test("a listing is the same whether walked to or asked for", () => {
  for (const index of [2999, 0, 1234, 1233]) expect(market.listing(index)).toEqual(listings[index]);
  expect(() => market.listing(3000)).toThrow("no listing 3000 in a market of 3000");
});

test("all rows are the rows of each resource", () => {
  const small = generateMarket({ seed: 3, listings: 100 });
  const byResource = (rows: Iterable<SampleRow>, resource: string): readonly SampleRow[] =>
    [...rows].filter((row) => row.resource === resource);
  for (const resource of sampleResources) {
    expect(byResource(small.allRows(), resource)).toEqual([...small.rows(resource)]);
  }
});

test("rows of a very large market are made one by one", () => {
  const large = generateMarket({ seed: 1, listings: 2_000_000_000 });
  const [first] = large.rows("Property");
  expect(first?.record["ListingKey"]).toBeDefined();
  expect(large.listing(1_999_999_999).property["ListingKey"]).toMatch(/_2009999999$/);
});

test("a ListingKey is unique, a ListingId only within its system", () => {
  expect(groupBy(properties, "ListingKey").size).toBe(properties.length);
  const ids = groupBy(properties, "ListingId");
  expect(ids.size).toBeLessThan(properties.length);
  for (const [id, records] of ids) {
    const systems = records.map((record) => text(record, "OriginatingSystemName"));
    expect(new Set(systems).size, id).toBe(systems.length);
  }
});

test("many records share a ModificationTimestamp", () => {
  const shared = [...groupBy(properties, "ModificationTimestamp").values()].filter(
    ({ length }) => length > 3,
  );
  expect(shared.flat().length).toBeGreaterThan(properties.length / 5);
});

test("five systems take part, each in its own states", () => {
  const states = [...groupBy(properties, "OriginatingSystemName")].map(([name, records]) => [
    name,
    [...groupBy(records, "StateOrProvince").keys()].toSorted(),
  ]);
  expect(Object.fromEntries(states)).toEqual({
    "Lone Star MLS": ["TX"],
    "Hill Country Exchange": ["TX"],
    "Evergreen MLS": ["WA"],
    "Cascade MLS": ["OR", "WA"],
    "Gulf Sunshine MLS": ["FL"],
  });
});
