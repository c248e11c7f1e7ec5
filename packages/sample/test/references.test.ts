import { describe, expect, test } from "vitest";
import { groupBy, listings, market, properties, text } from "./support/market.ts";

const members = new Map([...market.rows("Member")].map(({ record }) => [text(record, "MemberKey"), record]));
const offices = new Map([...market.rows("Office")].map(({ record }) => [text(record, "OfficeKey"), record]));

test.each(["ListAgent", "CoListAgent", "BuyerAgent", "CoBuyerAgent"])(
  "%sKey names a member of the same system, and its office is the member's",
  (role) => {
    let found = 0;
    for (const record of properties) {
      const key = text(record, `${role}Key`);
      if (key === undefined) continue;
      found++;
      const member = members.get(key);
      expect(member?.["OriginatingSystemName"]).toBe(record["OriginatingSystemName"]);
      const office = text(record, `${role.replace("Agent", "Office")}Key`);
      expect(office).toBe(member?.["OfficeKey"]);
      expect(offices.get(office)?.["OriginatingSystemName"]).toBe(record["OriginatingSystemName"]);
    }
    expect(found).toBeGreaterThan(0);
  },
);

test("member and office keys are unique", () => {
  expect(members.size).toBe([...market.rows("Member")].length);
  expect(offices.size).toBe([...market.rows("Office")].length);
});

test("media belong to their listing, are numbered from 0 and counted by PhotosCount", () => {
  for (const { property, media } of listings) {
    expect(media.map(({ Order }) => Order)).toEqual(media.map((_, k) => k));
    for (const record of media) {
      expect(record["ResourceRecordKey"]).toBe(property["ListingKey"]);
      expect(record["ResourceName"]).toBe("Property");
      expect(record["OriginatingSystemName"]).toBe(property["OriginatingSystemName"]);
    }
    expect(media.filter(({ MediaCategory }) => MediaCategory === "Photo").length).toBe(
      property["PhotosCount"],
    );
  }
});

test("media keys and open house keys are unique", () => {
  const media = listings.flatMap((listing) => listing.media);
  const openHouses = listings.flatMap((listing) => listing.openHouses);
  expect(groupBy(media, "MediaKey").size).toBe(media.length);
  expect(groupBy(openHouses, "OpenHouseKey").size).toBe(openHouses.length);
});

test("some media are private", () => {
  const hidden = listings
    .flatMap(({ media }) => media)
    .filter(({ Permission }) => Array.isArray(Permission) && Permission.includes("Private"));
  expect(hidden.length).toBeGreaterThan(100);
});

test("open houses lie in the active time of their listing", () => {
  let found = 0;
  for (const { property, openHouses } of listings) {
    for (const openHouse of openHouses) {
      found++;
      expect(openHouse["ListingKey"]).toBe(property["ListingKey"]);
      const date = text(openHouse, "OpenHouseDate") ?? "";
      expect(date >= (text(property, "ListingContractDate") ?? "")).toBe(true);
      expect(date <= (text(property, "OffMarketDate") ?? "2026-07-31")).toBe(true);
      expect(text(openHouse, "OpenHouseStartTime")?.slice(0, 10)).toBe(date);
      expect(
        (text(openHouse, "OpenHouseEndTime") ?? "") > (text(openHouse, "OpenHouseStartTime") ?? ""),
      ).toBe(true);
      if (openHouse["OpenHouseStatus"] === "Active") expect(date >= "2026-06-30").toBe(true);
    }
  }
  expect(found).toBeGreaterThan(300);
});

test("each media has one asset, whose key is its own", () => {
  for (const { media, mediaAssets } of listings)
    expect(mediaAssets.map(({ MediaKey }) => MediaKey)).toEqual(media.map(({ MediaKey }) => MediaKey));
  const assets = listings.flatMap(({ mediaAssets }) => mediaAssets);
  expect(groupBy(assets, "MediaAssetId").size).toBe(assets.length);
  for (const { Sha256 } of assets) expect(Sha256).toMatch(/^[\da-f]{64}$/);
});

describe("public records", () => {
  const records = [...market.rows("PublicRecord")].map(({ record }) => record);
  const byPlacekey = groupBy(properties, "Placekey");

  test("have keys of their own", () => {
    expect(groupBy(records, "PublicRecordKey").size).toBe(records.length);
  });

  test("are there of most properties that a system lists, and of some that nobody lists", () => {
    const identity = (record: (typeof records)[number]) =>
      `${text(record, "Placekey")} ${text(record, "OriginatingSystemName")}`;
    const known = new Set(records.map(identity));
    const listed = properties.filter(({ Placekey }) => Placekey !== undefined);
    const found = listed.filter((listing) => known.has(identity(listing))).length;
    expect(found / listed.length).toBeGreaterThan(0.85);
    expect(found).toBeLessThan(listed.length);
    const unlisted = records.filter(
      (record) => text(record, "Placekey") !== undefined && !byPlacekey.has(text(record, "Placekey") ?? ""),
    );
    expect(unlisted.length).toBeGreaterThan(records.length / 20);
  });

  test("say the same of the place as the listings do", () => {
    for (const record of records)
      for (const listing of byPlacekey.get(text(record, "Placekey") ?? "") ?? [])
        for (const field of ["StateOrProvince", "CountyOrParish", "PostalCode", "City"])
          expect([field, record[field]]).toEqual([field, listing[field] ?? record[field]]);
  });

  test("add land and building up, and put transfers in their order", () => {
    for (const record of records) {
      const {
        AssessedLandValue: land,
        AssessedImprovementValue: building,
        AssessedTotalValue: total,
      } = record;
      expect(Number(land) + Number(building)).toBe(total);
      const [last, prior] = [text(record, "LastTransferDate"), text(record, "PriorTransferDate")];
      if (prior !== undefined) expect(prior < (last ?? "")).toBe(true);
    }
  });
});
