import type { Entitlement, ResourceGrant, Scope } from "@cadastre/entitlement";
import type { Row } from "@cadastre/odata";
import fc from "fast-check";
import type { StoredRecord, StoredResource } from "../../src/index.ts";
import { entitySetOf, property } from "../../src/testing/entity-sets.ts";
import { grantsOf } from "../../src/testing/grants.ts";

/*
 * Generators of listings in few places, types and months, so that many groups are too small, and of callers with their scopes.
 */

const decimal = { precision: 14, scale: 2 };

const properties = [
  property("ListingKey", "Edm.String", { nullable: false }),
  property("ModificationTimestamp", "Edm.DateTimeOffset", { nullable: false, precision: 3 }),
  property("OriginatingSystemName", "Edm.String", { nullable: false }),
  property("PropertyType"),
  property("StateOrProvince"),
  property("CountyOrParish"),
  property("PostalCode"),
  property("StandardStatus"),
  property("OnMarketDate", "Edm.Date"),
  property("ListingContractDate", "Edm.Date"),
  property("OffMarketDate", "Edm.Date"),
  property("StatusChangeTimestamp", "Edm.DateTimeOffset", { precision: 3 }),
  property("CloseDate", "Edm.Date"),
  property("ListPrice", "Edm.Decimal", decimal),
  property("ClosePrice", "Edm.Decimal", decimal),
  property("DaysOnMarket", "Edm.Int64"),
  property("LivingArea", "Edm.Decimal", decimal),
  property("LivingAreaUnits"),
];

export const reportedSet = entitySetOf("Property", properties);

export const reportedResource: StoredResource = {
  entitySet: reportedSet,
  columns: [
    "OriginatingSystemName",
    "ModificationTimestamp",
    "StateOrProvince",
    "CountyOrParish",
    "PostalCode",
  ],
  indexes: [["ModificationTimestamp", "ListingKey"]],
};

export const datasets: readonly string[] = [
  "9f0c6c0e-5a1b-4d57-8a35-3f8e1c2b7d10",
  "2b7e1f64-0c93-4e0a-b8d1-64a7f95c3e21",
];

const months = ["2024-12", "2025-01", "2025-02", "2025-03", "2025-04"] as const;
const date = fc
  .tuple(fc.constantFrom(...months), fc.constantFrom("01", "28"))
  .map((parts) => parts.join("-"));
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { freq: 6 });

const places = [
  { StateOrProvince: "TX", CountyOrParish: "Travis", PostalCode: "78701" },
  { StateOrProvince: "TX", CountyOrParish: "Travis", PostalCode: "78702-1234" },
  { StateOrProvince: "TX", CountyOrParish: "Hays", PostalCode: "78702" },
  { StateOrProvince: "TX", CountyOrParish: "Hays", PostalCode: null },
  { StateOrProvince: "OR", CountyOrParish: null, PostalCode: "97401" },
  { StateOrProvince: null, CountyOrParish: null, PostalCode: null },
] as const;

const record = fc
  .record({
    place: fc.constantFrom(...places, ...places.slice(0, 3), ...places.slice(0, 2)),
    system: fc.constantFrom(0, 0, 1, 2),
    PropertyType: fc.constantFrom("Residential", "Residential", "Residential", "Land", null),
    StandardStatus: fc.constantFrom("Active", "Closed", "Expired", null),
    OnMarketDate: maybe(date),
    ListingContractDate: maybe(date),
    OffMarketDate: maybe(date),
    StatusChangeTimestamp: maybe(date.map((day) => `${day}T23:59:59.999Z`)),
    CloseDate: maybe(date),
    ListPrice: maybe(fc.constantFrom(100_000, 350_000.01, 350_000.04, 999_999_999_999.99)),
    ClosePrice: maybe(fc.constantFrom(99_999.99, 350_000, 0)),
    DaysOnMarket: maybe(fc.integer({ min: 0, max: 9 })),
    LivingArea: maybe(fc.constantFrom(0, 999.5, 1234)),
    LivingAreaUnits: fc.constantFrom("Square Feet", "Square Feet", "Square Meters", null),
  })
  .map(({ place, system, ...said }): Row & { readonly system: number } => ({ ...place, ...said, system }));

/** The systems: the first belongs to the first dataset, the others to the second. */
const systems = ["One", "Two", "Three"];

export const listings: fc.Arbitrary<readonly StoredRecord[]> = fc
  .array(record, { minLength: 80, maxLength: 120, size: "max" })
  .map((records) =>
    records.map(({ system, ...said }, i) => ({
      resource: "Property",
      datasetId: datasets[Math.min(1, system)] ?? null,
      record: {
        ListingKey: `k${i}`,
        // The newest change is in April, so reports end with March.
        ModificationTimestamp: "2025-04-15T00:00:00.000Z",
        OriginatingSystemName: systems[system],
        ...said,
      },
    })),
  );

const without = (...names: readonly string[]): ResourceGrant => ({
  fields: properties.map(({ name }) => name).filter((name) => !names.includes(name)),
});

export const whole: ResourceGrant = { fields: "*" };

const grant = fc.constantFrom<ResourceGrant>(
  whole,
  whole,
  whole,
  without("PostalCode"),
  { fields: "*", masks: { PostalCode: "prefix3" } },
  without("CloseDate", "OnMarketDate"),
  without("OffMarketDate", "StatusChangeTimestamp"),
  { fields: "*", masks: { ListPrice: "round0", CloseDate: "null" } },
  without("PropertyType"),
  without("ClosePrice", "DaysOnMarket"),
);

export type Asker = {
  /** Grants by dataset, in the order of {@link datasets}. */
  readonly grants: readonly (ResourceGrant | null)[];
  readonly regions: Entitlement["regions"];
};

export const regionSets: readonly Entitlement["regions"][] = [
  [{ kind: "national", value: "US" }],
  [{ kind: "state", value: "TX" }],
  [{ kind: "county", value: "TX/Travis" }],
  [{ kind: "zip", value: "78702" }],
  [
    { kind: "zip", value: "78701" },
    { kind: "originating_system", value: "Three" },
  ],
  [
    { kind: "county", value: "TX/Hays" },
    { kind: "state", value: "OR" },
  ],
];

export const askers: fc.Arbitrary<Asker> = fc.record({
  grants: fc.tuple(grant, maybe(grant)),
  regions: fc.constantFrom(...regionSets),
});

export const scopeOf = ({ grants, regions }: Asker): Scope =>
  grantsOf(
    reportedSet,
    Object.fromEntries(
      datasets.flatMap((dataset, i) => {
        const granted = grants[i] ?? null;
        return granted === null ? [] : [[dataset, granted] as const];
      }),
    ),
    { regions },
  );
