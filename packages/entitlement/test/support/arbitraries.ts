import type { Entitlement, Mask, Region, ResourceGrant } from "@cadastre/entitlement";
import fc from "fast-check";
import { entitlement, nevada, oregon, texas } from "./documents.ts";
import { propertySet } from "./model.ts";
import type { Row } from "./reference.ts";

export const datasetIds = [texas, oregon, nevada];
const systems = ["Lone Star MLS", "Oregon MLS"];
export const fieldNames = [...propertySet.type.properties.keys()];

export const row: fc.Arbitrary<Row> = fc.record({
  DatasetId: fc.constantFrom(...datasetIds, null),
  ListingKey: fc.uuid(),
  ModificationTimestamp: fc.constantFrom("1", "2"),
  OriginatingSystemName: fc.constantFrom(...systems),
  StateOrProvince: fc.constantFrom("TX", "OR", null),
  CountyOrParish: fc.constantFrom("Travis", "Lane", null),
  PostalCode: fc.constantFrom("78701", "78701-1234", "97201", "7870", null),
  City: fc.constantFrom("Austin", "Eugene", "", null),
  ListPrice: fc.constantFrom(1, 2, 3, null),
  StandardStatus: fc.constantFrom("Active", null),
  Appliances: fc.subarray(["Oven", "Dryer"]),
  Latitude: fc.constantFrom(30, 30.25, 30.349, -0.04, null),
  Longitude: fc.constantFrom(-97, -97.75, null),
  Coordinates: fc.constantFrom({ type: "Point", coordinates: [-97.75, 30.25] }, null),
  GeoHash: fc.constantFrom("9v6", null),
  GeoHashPrefix: fc.constantFrom("9", null),
  AddressLine: fc.constantFrom("1 Oak, Austin 78701", "Eugene", null),
  Label: fc.constantFrom("To 1 Oak, Austin 78701", null),
  Remarks: fc.constantFrom("In Austin", null),
});

export const region: fc.Arbitrary<Region> = fc.constantFrom<Region>(
  { kind: "national", value: "US" },
  { kind: "state", value: "TX" },
  { kind: "county", value: "TX/Travis" },
  { kind: "county", value: "OR/Lane" },
  { kind: "county", value: "TX/Lane" },
  { kind: "zip", value: "78701" },
  { kind: "zip", value: "97201" },
  { kind: "originating_system", value: "Oregon MLS" },
);

const fields = fc.oneof(fc.constant("*" as const), fc.subarray(fieldNames, { minLength: 1 }));
/** Masks that fit their fields. */
const masks = fc.record(
  {
    City: fc.constantFrom<Mask>("null", "prefix1", "prefix3"),
    PostalCode: fc.constantFrom<Mask>("prefix3", "prefix5"),
    GeoHash: fc.constantFrom<Mask>("prefix1"),
    ListPrice: fc.constantFrom<Mask>("null", "round0"),
    Appliances: fc.constantFrom<Mask>("null"),
    Latitude: fc.constantFrom<Mask>("null", "round1", "round0"),
    Longitude: fc.constantFrom<Mask>("round1"),
    Coordinates: fc.constantFrom<Mask>("null"),
    AddressLine: fc.constantFrom<Mask>("null", "prefix3"),
  },
  { requiredKeys: [] },
);
export const propertyGrant = fc.tuple(fields, masks).map(([fields, masks]): ResourceGrant => {
  const granted = Object.entries(masks).filter(([name]) => fields === "*" || fields.includes(name));
  return granted.length === 0 ? { fields } : { fields, masks: Object.fromEntries(granted) };
});
const dataset = fc.record({
  dataset_id: fc.constantFrom(...datasetIds),
  resources: fc.oneof(
    { arbitrary: fc.record({ Property: propertyGrant }), weight: 4 },
    fc.constant<Record<string, ResourceGrant>>({ Member: { fields: "*" } }),
  ),
});
export const document: fc.Arbitrary<Entitlement> = fc
  .record({
    regions: fc.uniqueArray(region, { minLength: 1, maxLength: 3 }),
    datasets: fc.uniqueArray(dataset, { minLength: 1, selector: ({ dataset_id }) => dataset_id }),
  })
  .map(entitlement);
