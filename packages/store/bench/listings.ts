import { restrict, visibleEntitySet } from "@cadastre/entitlement";
import { bindQuery, parseOrderBy, parseSelect, type Row } from "@cadastre/odata";
import type { StoredRecord, StoredResource } from "../src/index.ts";
import { entitySetOf, property } from "../src/testing/entity-sets.ts";
import { grantsOf } from "../src/testing/grants.ts";

const dataset = "9f0c6c0e-5a1b-4d57-8a35-3f8e1c2b7d10";

const money = { precision: 14, scale: 2 };
const typed = [
  property("ListingKey", "Edm.String", { nullable: false }),
  property("ModificationTimestamp", "Edm.DateTimeOffset", { nullable: false }),
  property("OriginatingSystemName"),
  property("ListingId"),
  property("UniversalPropertyId"),
  property("Placekey"),
  property("StandardStatus"),
  property("City"),
  property("PostalCode"),
  property("CountyOrParish"),
  property("StateOrProvince"),
  property("ListAgentKey"),
  property("ListOfficeKey"),
  property("ListPrice", "Edm.Decimal", money),
  property("ClosePrice", "Edm.Decimal", money),
  property("BedroomsTotal", "Edm.Int64"),
  property("CloseDate", "Edm.Date"),
];
/** The other fields, up to 64, are only in the record's text. */
const untyped = Array.from({ length: 64 - typed.length }, (_, i) => property(`Remark${i}`));
const properties = [...typed, ...untyped];

export const entitySet = entitySetOf("Listing", properties);

export const resource: StoredResource = {
  entitySet,
  columns: typed.map(({ name }) => name),
  // Indexes of the service's lookups, and two more for walks.
  indexes: [
    ["ModificationTimestamp", "ListingKey"],
    ["OriginatingSystemName", "ListingId"],
    ["OriginatingSystemName", "ModificationTimestamp", "ListingKey"],
    ["UniversalPropertyId"],
    ["Placekey"],
    ["StandardStatus", "ListPrice"],
    ["StandardStatus", "ModificationTimestamp", "ListingKey"],
    ["StateOrProvince", "CountyOrParish"],
    ["City", "ListPrice"],
    ["PostalCode", "ListPrice"],
    ["ListPrice", "ListingKey"],
    ["BedroomsTotal", "ListPrice"],
    ["ListAgentKey"],
    ["ListOfficeKey"],
    ["City", "ListingKey"],
    ["CloseDate", "ListingKey"],
  ],
};

/** Returns null for every `nth` record. */
const unless = (i: number, nth: number, value: unknown): unknown => (i % nth === 0 ? null : value);

function record(i: number): Row {
  const spread = (i * 7919) % 1_000_003;
  return {
    ListingKey: `key-${i}`,
    ModificationTimestamp: new Date(Date.UTC(2024, 0, 1) + (spread % 50_000) * 60_000).toISOString(),
    OriginatingSystemName: `System ${i % 5}`,
    ListingId: `L${i}`,
    UniversalPropertyId: `US-${spread}-${i}`,
    StandardStatus: ["Active", "Closed", "Pending", "Expired", "Withdrawn"][spread % 5],
    City: unless(spread, 6, `City ${spread % 4001}`),
    Placekey: `${spread}@5vg-${i % 997}`,
    PostalCode: String(75_000 + (spread % 900)),
    CountyOrParish: `County ${spread % 250}`,
    StateOrProvince: "TX",
    ListAgentKey: `agent-${spread % 20_011}`,
    ListOfficeKey: `office-${spread % 2003}`,
    ListPrice: unless(spread, 11, 100_000 + (spread % 9000) * 100.5),
    ClosePrice: unless(spread, 2, 100_000 + (spread % 7000)),
    BedroomsTotal: unless(spread, 4, spread % 7),
    CloseDate: unless(spread, 3, new Date(Date.UTC(2020, 0, 1 + (spread % 1500))).toISOString().slice(0, 10)),
    ...Object.fromEntries(untyped.map(({ name }, n) => [name, `${name} of ${(i + n) % 97}`])),
  };
}

export const recordsOf = (count: number, start = 0): readonly StoredRecord[] =>
  Array.from({ length: count }, (_, i) => ({
    resource: "Listing",
    datasetId: dataset,
    record: record(start + i),
  }));

const scope = grantsOf(entitySet, { [dataset]: "*" }, { like: "Member" });

/** Returns the query for a page of 100 records in an order. */
export const pageBy = (orderBy: string, select?: string) => {
  const parts = {
    top: 100,
    orderBy: parseOrderBy(orderBy),
    select: select === undefined ? undefined : parseSelect(select),
  };
  return restrict(bindQuery(parts, visibleEntitySet(entitySet, scope)), scope);
};
