import type { Row } from "@cadastre/odata";
import fc from "fast-check";
import type { Change, StoredRecord } from "../../src/index.ts";
import { texas } from "./listings.ts";

const orders = [
  "ListingKey desc",
  "City",
  "City desc,ListPrice",
  "ListPrice desc",
  "BedroomsTotal desc,CloseDate desc",
  "TaxAnnualAmount,City desc",
  "PoolYN desc",
  "StatusChangeTimestamp desc,YearBuilt",
  "length(City) desc,GarageYN",
  "ListPrice mul BedroomsTotal",
];

const someOf = <T>(...values: readonly T[]) => fc.constantFrom(null, ...values);

const values: fc.Arbitrary<Row> = fc.record({
  City: someOf("", "Austin", "Bend", "😀", "O'Fallon"),
  ListPrice: someOf(0, 0.07, 350_000.5, 1e12),
  TaxAnnualAmount: someOf(-0.01, 0.29, 0.3),
  BedroomsTotal: someOf(0, 1, -3),
  YearBuilt: someOf(1999, 2020),
  GarageYN: someOf(true, false),
  PoolYN: someOf(true, false),
  CloseDate: someOf("2024-02-29", "0001-01-01"),
  StatusChangeTimestamp: someOf("2024-05-01T10:00:00.123Z", "2024-05-01T10:00:00.000Z"),
});

/** Keys of the records. */
export const keys = Array.from({ length: 30 }, (_, i) => `k${String(i).padStart(2, "0")}`);
const key = fc.constantFrom(...keys);

/** New values of a record, or undefined to remove it. */
export type ChangeOfKey = { readonly key: string; readonly values: Row | undefined };

const change = fc.record({
  key,
  values: fc.oneof({ weight: 3, arbitrary: values }, { weight: 1, arbitrary: fc.constant(undefined) }),
});

/** Generates a query, the records at its first page, and the changes between its pages. */
export const histories = fc.record({
  orderBy: fc.constantFrom(...orders),
  filter: fc.constantFrom(undefined, "City ne 'Bend'", "ListPrice gt 0 or PoolYN"),
  top: fc.integer({ min: 1, max: 7 }),
  /** Changes before the first page, then before each following page. */
  changes: fc.array(fc.array(change, { maxLength: 12 }), { minLength: 1, maxLength: 12 }),
  first: fc.array(change, { minLength: 10, maxLength: 40 }),
});

export const recordOf = (listingKey: string, row: Row): StoredRecord => ({
  resource: "Property",
  datasetId: texas,
  record: {
    ListingKey: listingKey,
    ModificationTimestamp: "2024-05-01T10:00:00.000Z",
    StateOrProvince: "TX",
    ...row,
  },
});

export const changeOf = (one: ChangeOfKey): Change =>
  one.values === undefined
    ? { resource: "Property", datasetId: texas, removed: [one.key] }
    : recordOf(one.key, one.values);

export const shown = "ListingKey,City,ListPrice,TaxAnnualAmount,BedroomsTotal,PoolYN";
/** Returns the part of a row that a query for {@link shown} returns. */
export const show = (row: Row) =>
  Object.fromEntries(shown.split(",").map((name) => [name, row[name] ?? null]));
