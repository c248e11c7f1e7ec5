import { expect, test } from "vitest";
import type { SampleRecord } from "../src/index.ts";
import { groupBy, properties, text } from "./support/market.ts";

/** Names of fields in the order in which their days come, if both are filled. */
const courses = [
  ["ListingContractDate", "OnMarketDate"],
  ["ListingContractDate", "PendingTimestamp"],
  ["ListingContractDate", "PurchaseContractDate"],
  ["OnMarketDate", "PurchaseContractDate"],
  ["PurchaseContractDate", "CloseDate"],
  ["PendingTimestamp", "CloseDate"],
  ["ListingContractDate", "ExpirationDate"],
] as const;

const timestamps = [
  ["OriginalEntryTimestamp", "StatusChangeTimestamp"],
  ["StatusChangeTimestamp", "ModificationTimestamp"],
  ["PriceChangeTimestamp", "ModificationTimestamp"],
  ["PhotosChangeTimestamp", "ModificationTimestamp"],
  ["MajorChangeTimestamp", "ModificationTimestamp"],
  ["PendingTimestamp", "StatusChangeTimestamp"],
] as const;

const inOrder = (record: SampleRecord, [first, then]: readonly [string, string], digits: number): boolean => {
  const [a, b] = [text(record, first), text(record, then)];
  return a === undefined || b === undefined || a.slice(0, digits) <= b.slice(0, digits);
};

test.each(courses)("%s is not after %s", (...pair) => {
  expect(
    properties.filter((record) => !inOrder(record, pair, 10)).map(({ ListingKey }) => ListingKey),
  ).toEqual([]);
});

test.each(timestamps)("%s is not after %s", (...pair) => {
  expect(
    properties.filter((record) => !inOrder(record, pair, 24)).map(({ ListingKey }) => ListingKey),
  ).toEqual([]);
});

test("nothing changed after the end of the sample's time or more than two years before", () => {
  for (const record of properties) {
    const changed = text(record, "ModificationTimestamp") ?? "";
    expect(changed < "2026-06-30T00:00:00.000Z" && changed > "2024-06-01").toBe(true);
  }
});

test("only a closed listing has a close date and price", () => {
  for (const record of properties) {
    const closed = record["StandardStatus"] === "Closed";
    if (!closed) expect([record["CloseDate"], record["ClosePrice"]]).toEqual([undefined, undefined]);
    expect(record["CloseDate"] === undefined).toBe(record["ClosePrice"] === undefined);
  }
  expect(properties.filter(({ ClosePrice }) => ClosePrice !== undefined).length).toBeGreaterThan(800);
});

test("days on the market are counted from OnMarketDate to the contract", () => {
  for (const { StandardStatus, OnMarketDate, PurchaseContractDate, DaysOnMarket } of properties) {
    if (
      StandardStatus !== "Closed" ||
      typeof OnMarketDate !== "string" ||
      typeof PurchaseContractDate !== "string"
    )
      continue;
    if (DaysOnMarket === undefined) continue;
    expect((Date.parse(PurchaseContractDate) - Date.parse(OnMarketDate)) / 86_400_000).toBe(DaysOnMarket);
  }
});

test("every standard status and most property types occur", () => {
  expect(groupBy(properties, "StandardStatus").size).toBe(9);
  expect(groupBy(properties, "PropertyType").size).toBe(9);
});

test("rents are rents and prices are prices", () => {
  const median = (type: string): number => {
    const prices = properties
      .filter(({ PropertyType }) => PropertyType === type)
      .map(({ ListPrice }) => Number(ListPrice));
    return prices.toSorted((a, b) => a - b)[Math.floor(prices.length / 2)] ?? 0;
  };
  expect(median("Residential")).toBeGreaterThan(200_000);
  expect(median("Residential")).toBeLessThan(900_000);
  expect(median("Residential Lease")).toBeGreaterThan(900);
  expect(median("Residential Lease")).toBeLessThan(6000);
});

test("remarks hold quotes, newlines, accents and characters beyond the first plane", () => {
  const remarks = properties.map((record) => text(record, "PublicRemarks") ?? "");
  const count = (pattern: RegExp): number => remarks.filter((remark) => pattern.test(remark)).length;
  for (const pattern of [/"/, /'/, /\n/, /\r\n/, /é/, /[\u{10000}-\u{10FFFF}]/u, /庭/]) {
    expect(count(pattern), String(pattern)).toBeGreaterThan(50);
  }
});

test("a price change leaves its trace", () => {
  const changed = properties.filter(({ PriceChangeTimestamp }) => PriceChangeTimestamp !== undefined);
  expect(changed.length).toBeGreaterThan(400);
  for (const { PreviousListPrice, ListPrice } of changed) {
    expect(PreviousListPrice === undefined || PreviousListPrice !== ListPrice).toBe(true);
  }
});
