import { expect, test } from "vitest";
import { market, text } from "./support/market.ts";

test("no step gives the listing as it stands", () => {
  expect(market.listingAfter(5, 0)).toEqual(market.listing(5));
});

test("each step is later than the one before, until the listing is deleted", () => {
  let updates = 0;
  let deletions = 0;
  for (let index = 0; index < 100; index++) {
    let before = market.listing(index);
    for (let step = 1; step <= 5; step++) {
      const after = market.listingAfter(index, step);
      if (after === undefined) {
        deletions++;
        expect(market.listingAfter(index, step + 1)).toBeUndefined();
        break;
      }
      updates++;
      expect(after.property["ListingKey"]).toBe(before.property["ListingKey"]);
      const stamps = [before, after].map(({ property }) => text(property, "ModificationTimestamp") ?? "");
      expect(stamps[1]?.localeCompare(stamps[0] ?? "")).toBe(1);
      before = after;
    }
  }
  expect(updates).toBeGreaterThan(300);
  expect(deletions).toBeGreaterThan(10);
});

test("later steps change prices and close listings", () => {
  const steps = Array.from(
    { length: 300 },
    (_, index) => [market.listing(index), market.listingAfter(index, 6)] as const,
  );
  const kept = steps.flatMap(([before, after]) =>
    after === undefined ? [] : [[before.property, after.property] as const],
  );
  const repriced = kept.filter(([before, after]) => before["ListPrice"] !== after["ListPrice"]);
  const closed = kept.filter(
    ([before, after]) => before["StandardStatus"] !== "Closed" && after["StandardStatus"] === "Closed",
  );
  expect(repriced.length).toBeGreaterThan(20);
  expect(closed.length).toBeGreaterThan(20);
  for (const [, after] of closed)
    expect(after["CloseDate"] === undefined).toBe(after["ClosePrice"] === undefined);
});
