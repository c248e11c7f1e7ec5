import { restrict, type Scope, visibleEntitySet } from "@cadastre/entitlement";
import { bindQuery, parseFilter, parseOrderBy, parseSelect, type Row } from "@cadastre/odata";
import type { Change, StoredRecord, StoredResource } from "../../src/index.ts";
import { entitySetOf, property } from "../../src/testing/entity-sets.ts";
import { type DatasetGrants, grantsOf } from "../../src/testing/grants.ts";

export const texas = "9f0c6c0e-5a1b-4d57-8a35-3f8e1c2b7d10";
export const oregon = "2b7e1f64-0c93-4e0a-b8d1-64a7f95c3e21";

export const listings = entitySetOf("Property", [
  property("ListingKey", "Edm.String", { nullable: false }),
  property("ModificationTimestamp", "Edm.DateTimeOffset", { nullable: false }),
  property("OriginatingSystemName"),
  property("StateOrProvince"),
  property("CountyOrParish"),
  property("PostalCode"),
  property("City"),
  property("ListPrice", "Edm.Decimal", { precision: 14, scale: 2 }),
  property("TaxAnnualAmount", "Edm.Decimal", { precision: 14, scale: 2 }),
  property("BedroomsTotal", "Edm.Int64"),
  property("GarageYN", "Edm.Boolean"),
  property("PoolYN", "Edm.Boolean"),
  property("CloseDate", "Edm.Date"),
  property("OffMarketDate", "Edm.Date"),
  property("StatusChangeTimestamp", "Edm.DateTimeOffset"),
  property("YearBuilt", "Edm.Int64"),
  property("Appliances", "Edm.String", { collection: true, nullable: false }),
]);

/** Half of the properties have a column; the others are only in the record's JSON. */
export const stored: StoredResource = {
  entitySet: listings,
  columns: [
    "ModificationTimestamp",
    "OriginatingSystemName",
    "StateOrProvince",
    "City",
    "ListPrice",
    "BedroomsTotal",
    "GarageYN",
    "CloseDate",
  ],
  indexes: [["ModificationTimestamp", "ListingKey"], ["City"], ["ListPrice", "ListingKey"]],
};

const record = (key: string, datasetId: string, values: Row): StoredRecord => ({
  resource: "Property",
  datasetId,
  record: {
    ListingKey: key,
    ModificationTimestamp: "2024-05-01T10:00:00.000Z",
    StateOrProvince: "TX",
    ...values,
  },
});

/** A record with only a city. */
export const listing = (key: string, city: string, datasetId = texas): StoredRecord => ({
  resource: "Property",
  datasetId,
  record: { ListingKey: key, ModificationTimestamp: "2024-05-01T10:00:00.000Z", City: city },
});

export const removal = (key: string, datasetId = texas): Change => ({
  resource: "Property",
  datasetId,
  removed: [key],
});

export const records: readonly StoredRecord[] = [
  record("a", texas, { City: "Austin", ListPrice: 350_000.5, TaxAnnualAmount: 0.07, Appliances: ["Oven"] }),
  record("b", texas, { City: "O'Fallon", ListPrice: 0.07, TaxAnnualAmount: 350_000.5, PoolYN: true }),
  record("c", texas, { BedroomsTotal: 3, YearBuilt: 1999, GarageYN: false, OffMarketDate: "2024-02-29" }),
  record("d", oregon, { City: "Bend", StateOrProvince: "OR", CloseDate: "2024-02-29", PoolYN: false }),
  record("e", oregon, { City: "", StateOrProvince: "OR", StatusChangeTimestamp: "2024-05-01T10:00:00.123Z" }),
  record("f", oregon, { City: "😀", ListPrice: 1e12, Appliances: ["Oven", "Range"], YearBuilt: 2020 }),
];

/** Compiles a scope with these grants, limited to a state if one is given. */
export const scopeOf = (datasets: DatasetGrants, state?: string): Scope =>
  grantsOf(listings, datasets, state === undefined ? {} : { regions: [{ kind: "state", value: state }] });

export const everything = scopeOf({ [texas]: "*", [oregon]: "*" });

export type Asked = {
  filter?: string | undefined;
  orderBy?: string;
  /** By default everything; "" for nothing. */
  select?: string;
  top?: number;
  skip?: number;
};

/** Parses a query and restricts it. */
export function ask({ filter, orderBy, select, top = 100, skip = 0 }: Asked = {}, scope = everything) {
  const parts = {
    filter: filter === undefined ? undefined : parseFilter(filter),
    orderBy: orderBy === undefined ? undefined : parseOrderBy(orderBy),
    select: !select ? undefined : parseSelect(select),
    top,
    skip,
  };
  const query = bindQuery(parts, visibleEntitySet(listings, scope));
  return restrict(select === "" ? { ...query, select: [] } : query, scope);
}
