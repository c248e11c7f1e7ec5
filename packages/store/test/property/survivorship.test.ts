import type { Row } from "@cadastre/odata";
import { describe, expect, test } from "vitest";
import { attributes, identitiesOf, type Survivorship } from "../../src/property/index.ts";
import { viewOf } from "../../src/property/view.ts";

const listing = (ListingKey: string, StandardStatus: string | null, day: number, said: Row = {}): Row => ({
  ListingKey,
  StandardStatus,
  ModificationTimestamp: `2025-01-${String(day).padStart(2, "0")}T00:00:00.000Z`,
  ...said,
});

const everyField = () => true;
const survivorsOf = (listings: readonly Row[], isSeen: (field: string) => boolean = everyField): Row =>
  viewOf("id", listings, isSeen).attributes;

describe("the listing that counts most", () => {
  test.each<[string, readonly Row[], string]>([
    ["is active, whatever is newer", [listing("a", "Closed", 9), listing("b", "Active", 1)], "b"],
    ["of two active ones is the newer", [listing("a", "Active", 1), listing("b", "Active", 2)], "b"],
    [
      "under contract comes before pending",
      [listing("a", "Pending", 9), listing("b", "Active Under Contract", 1)],
      "b",
    ],
    ["pending comes before coming soon", [listing("a", "Coming Soon", 9), listing("b", "Pending", 1)], "b"],
    ["coming soon comes before hold", [listing("a", "Hold", 9), listing("b", "Coming Soon", 1)], "b"],
    ["hold comes before what is off the market", [listing("a", "Expired", 9), listing("b", "Hold", 1)], "b"],
    ["off the market is the newer", [listing("a", "Closed", 1), listing("b", "Withdrawn", 2)], "b"],
    ["without a status counts as off the market", [listing("a", "Closed", 1), listing("b", null, 2)], "b"],
    ["of two alike has the first key", [listing("b", "Active", 1), listing("a", "Active", 1)], "a"],
  ])("%s", (_, listings, lead) => {
    expect(survivorsOf(listings)["listing_key"]).toBe(lead);
    expect(survivorsOf(listings.toReversed())["listing_key"]).toBe(lead);
  });
});

describe("every attribute survives by its rule", () => {
  const [lead, other] = [listing("a", "Active", 1), listing("b", "Closed", 2)];
  const fieldsBy = (rule: Survivorship["rule"]) =>
    Object.entries(attributes).flatMap(([name, one]) =>
      one.rule === rule && typeof one.from === "string" ? [[name, one.from] as const] : [],
    );

  test.each(fieldsBy("lead"))("%s: that of the first, or null", (name, field) => {
    expect(survivorsOf([{ ...lead, [field]: "Active" }, other])[name]).toBe("Active");
    if (["ListingKey", "StandardStatus"].includes(field)) return;
    expect(survivorsOf([lead, { ...other, [field]: "x" }])[name]).toBeNull();
  });

  test.each(fieldsBy("first"))("%s: the first that there is", (name, field) => {
    expect(
      survivorsOf([
        { ...lead, [field]: 0 },
        { ...other, [field]: 2 },
      ])[name],
    ).toBe(0);
    expect(
      survivorsOf([
        { ...lead, [field]: null },
        { ...other, [field]: 2 },
      ])[name],
    ).toBe(2);
    expect(survivorsOf([lead, other])[name]).toBeNull();
  });

  test("address: all parts of the listing that has most of them", () => {
    const [few, more] = [{ City: "Waco" }, { City: "Austin", PostalCode: "78701" }];
    const address = survivorsOf([
      { ...lead, ...few },
      { ...other, ...more },
    ])["address"];
    expect(address).toMatchObject({ city: "Austin", postal_code: "78701", street_name: null });
    const even = survivorsOf([
      { ...lead, ...few },
      { ...other, City: "Austin" },
    ])["address"];
    expect(even).toMatchObject({ city: "Waco" });
  });

  test("listing_keys: every one; modification_timestamp: the newest", () => {
    expect(survivorsOf([lead, other])).toMatchObject({
      listing_keys: ["a", "b"],
      modification_timestamp: "2025-01-02T00:00:00.000Z",
    });
  });

  test("one of a field that is not seen is left out, and so is a part", () => {
    const isSeen = (field: string) => !["ListPrice", "City", "Latitude", "Longitude"].includes(field);
    const seen = survivorsOf([lead], isSeen);
    expect(Object.keys(seen)).not.toContain("list_price");
    expect(Object.keys(seen)).not.toContain("location");
    expect(Object.keys(seen["address"] as Row)).not.toContain("city");
  });
});

test("ids that were resolved lead to the end of the chain, from where all of them are known", () => {
  const identities = identitiesOf([
    { id: "a", placekey: "b", resolved: 0 },
    { id: "b", placekey: "c", resolved: 0 },
    { id: "x", placekey: "c", resolved: 0 },
  ]);
  const all = { id: "c", resolved: ["a", "b", "x"] };
  expect(["a", "b", "c", "x"].map(identities)).toEqual([all, all, all, all]);
  expect(identities("z")).toEqual({ id: "z", resolved: [] });
});
