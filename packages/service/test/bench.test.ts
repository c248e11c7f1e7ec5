import { expect, test } from "vitest";
import { listingAt, listingKeyAt, listingsUpTo } from "../bench/listing.ts";
import { plotSvg } from "../bench/plot.ts";
import { resources } from "../bench/resources.ts";

test("a listing is the same in whatever order it is asked for", () => {
  const inOrder = [...listingsUpTo(50)];
  expect(inOrder[37]).toEqual(listingAt(37));
  expect(listingAt(37)["ListingKey"]).toBe(listingKeyAt(37));
  expect(listingAt(37)).not.toEqual(listingAt(38));
});

test("every listing has the same 64 fields, each of the dictionary's type", () => {
  const { properties } = resources.listings.entitySet.type;
  expect(properties.size).toBe(64);
  const kinds: Readonly<Record<string, string>> = {
    "Edm.Boolean": "boolean",
    "Edm.Int64": "number",
    "Edm.Decimal": "number",
  };
  for (const listing of listingsUpTo(200)) {
    expect(Object.keys(listing)).toEqual([...properties.keys()]);
    for (const [name, { type, nullable }] of properties) {
      const value = listing[name];
      if (value === null) expect(nullable, name).toBe(true);
      else expect(typeof value, name).toBe(kinds[type] ?? "string");
    }
  }
});

test("a thousand listings are some 2 MB, of which the search for active ones finds a share", () => {
  const listings = [...listingsUpTo(1000)];
  const megabytes = JSON.stringify(listings).length / 1e6;
  expect(megabytes).toBeGreaterThan(1.9);
  expect(megabytes).toBeLessThan(2.2);
  const found = listings.filter(
    ({ StandardStatus, ListPrice }) =>
      StandardStatus === "Active" && Number(ListPrice) >= 300_000 && Number(ListPrice) <= 600_000,
  );
  expect(found.length).toBeGreaterThan(100);
  expect(found.length).toBeLessThan(300);
});

test("a plot draws each series, ten times as much equally far up", () => {
  const svg = plotSvg({
    title: "a < b",
    steps: ["1", "2", "3"],
    series: [{ name: "x", values: [1, 10, 100] }],
  });
  expect(svg).toContain("a &#60; b");
  const [, path = ""] = /d="M([^"]+)" fill="none"/.exec(svg) ?? [];
  const heights = path.split("L").map((point) => Number(point.split(" ")[1]));
  const [one = 0, ten = 0, hundred = 0] = heights;
  expect(one - ten).toBeCloseTo(ten - hundred);
  expect(one - ten).toBeGreaterThan(0);
});
