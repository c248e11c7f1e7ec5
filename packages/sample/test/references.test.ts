import { expect, test } from "vitest";
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
