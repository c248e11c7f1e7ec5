import { type Region, restrict, type Scope, visibleEntitySet } from "@cadastre/entitlement";
import { bindQuery, parseFilter } from "@cadastre/odata";
import fc from "fast-check";
import type { RegionValues, StoredRecord, StoredResource } from "../../src/index.ts";
import type { Counted } from "../../src/stored-resource.ts";
import { type DatasetGrants, grantsOf } from "../../src/testing/grants.ts";
import { listings, oregon, stored, texas } from "./listings.ts";

export const counted: Counted = {
  system: "OriginatingSystemName",
  places: [
    { column: "StateOrProvince" },
    { column: "CountyOrParish" },
    { column: "PostalCode", characters: 5 },
  ],
};

/** The resource {@link stored} with coverage counts. */
export const covered: StoredResource = {
  ...stored,
  columns: [...stored.columns, "CountyOrParish", "PostalCode"],
  counted,
};

const sources = ["mls", "board"] as const;
export const datasets = [texas, oregon] as const;
export const systems = ["Lone Star", "Cascade", null] as const;
export const states = ["TX", "OR", null] as const;
export const counties = ["Travis", "Bend", null] as const;
export const zips = ["78701", "78702", "78701-1234", "97701", null] as const;

const one = <T>(...values: readonly T[]) => fc.constantFrom(...values);

/** A key belongs to one dataset. */
export const datasetOf = (key: number): string => datasets[key % 2 === 0 ? 0 : 1];

/** Generates a listing with one of a few keys, in one of a few places. */
export const listing: fc.Arbitrary<StoredRecord> = fc
  .record({
    key: fc.nat({ max: 11 }),
    source: one(...sources),
    OriginatingSystemName: one(...systems),
    StateOrProvince: one(...states),
    CountyOrParish: one(...counties),
    PostalCode: one(...zips),
    City: one(null, "", "Bend"),
    BedroomsTotal: one(null, 0, 10),
    Appliances: one([], ["Oven"], [""]),
  })
  .map(({ key, source, ...said }) => ({
    resource: "Property",
    datasetId: datasetOf(key),
    source,
    record: { ListingKey: `k${key}`, ModificationTimestamp: "2024-05-01T10:00:00.000Z", ...said },
  }));

/** All places in which records may lie, and some without records. */
export const places: readonly RegionValues[] = [
  {},
  ...["TX", "OR", "WA"].map((StateOrProvince) => ({ StateOrProvince })),
  ...["TX/Travis", "OR/Travis", "OR/Bend"].map((value) => {
    const [StateOrProvince = "", CountyOrParish = ""] = value.split("/");
    return { StateOrProvince, CountyOrParish };
  }),
  ...["78701", "78702", "97701", "00000"].map((PostalCode) => ({ PostalCode })),
];

/** Examples of grants, by dataset. */
export const grants: readonly DatasetGrants[] = [
  { [texas]: "*", [oregon]: "*" },
  { [oregon]: "*" },
  { [texas]: ["City", "StateOrProvince", "PostalCode"], [oregon]: ["City", "BedroomsTotal"] },
  {
    [texas]: { fields: "*", masks: { PostalCode: "prefix3", City: "prefix2" } },
    [oregon]: { fields: "*", masks: { StateOrProvince: "null", BedroomsTotal: "null" } },
  },
];

/** Examples of the regions of a scope. */
export const regions: readonly (readonly Region[])[] = [
  [{ kind: "national", value: "US" }],
  [{ kind: "state", value: "TX" }],
  [
    { kind: "county", value: "OR/Bend" },
    { kind: "zip", value: "78701" },
  ],
  [
    { kind: "zip", value: "78701" },
    { kind: "zip", value: "78702" },
  ],
  [{ kind: "originating_system", value: "Cascade" }],
];

export const scopeIn = (granted: DatasetGrants, within: readonly Region[]): Scope =>
  grantsOf(listings, granted, { regions: within });

/** Returns the query for all listings that match a filter, restricted to a scope. */
export function askScope(scope: Scope, filter?: string) {
  const visible = visibleEntitySet(listings, scope);
  const parts = filter === undefined ? {} : { filter: parseFilter(filter) };
  return restrict(bindQuery({ ...parts, top: 0 }, visible), scope);
}
