import type { DatasetGrant, Entitlement, Region } from "@cadastre/entitlement";
import { originatingSystems, resourceNames } from "@cadastre/reso";

/** A customer of the demo: what its key is called, and what its entitlement grants. */
export type DemoCustomer = {
  readonly name: string;
  /** What the key sees, in a sentence. */
  readonly summary: string;
  readonly grants: Pick<Entitlement, "products" | "channels" | "capabilities" | "regions" | "datasets">;
};

/** Enough to find and compare listings: no agents, no remarks for agents, no place on the map, no local fields. */
const publicFields = [
  "ListingKey",
  "ListingId",
  "UniversalPropertyId",
  "StandardStatus",
  "MlsStatus",
  "PropertyType",
  "PropertySubType",
  "ListPrice",
  "OriginalListPrice",
  "ListingContractDate",
  "DaysOnMarket",
  "UnparsedAddress",
  "City",
  "StateOrProvince",
  "CountyOrParish",
  "PostalCode",
  "SubdivisionName",
  "BedroomsTotal",
  "BathroomsTotalInteger",
  "BathroomsFull",
  "BathroomsHalf",
  "LivingArea",
  "LotSizeAcres",
  "LotSizeSquareFeet",
  "YearBuilt",
  "StoriesTotal",
  "GarageSpaces",
  "Appliances",
  "Cooling",
  "Heating",
  "PoolFeatures",
  "PublicRemarks",
  "PhotosCount",
  "ListOfficeName",
];

const everyField = Object.fromEntries(resourceNames.map((name) => [name, { fields: "*" as const }]));
const fewerFields = { ...everyField, Property: { fields: publicFields } };

const granting = (
  regions: readonly Region[],
  datasets: readonly string[],
  resources: DatasetGrant["resources"],
): DemoCustomer["grants"] => ({
  products: ["property", "listing", "public_record", "market_report"],
  channels: { api: true, odata: true, file_delivery: true },
  capabilities: ["file_export_push"],
  regions,
  datasets: datasets.map((dataset_id) => ({ dataset_id, resources })),
});

const everyDataset = originatingSystems.map(({ datasetId }) => datasetId);
const [market] = originatingSystems;

/** Separate customers, each with every channel; the first sees everything. */
export const demoCustomers: readonly DemoCustomer[] = [
  {
    name: "national",
    summary: `every listing of all ${originatingSystems.length} systems, every field`,
    grants: granting([{ kind: "national", value: "US" }], everyDataset, everyField),
  },
  {
    name: "market",
    summary: `the listings of ${market.name} alone, every field`,
    grants: granting([{ kind: "originating_system", value: market.name }], [market.datasetId], everyField),
  },
  {
    name: "state",
    summary:
      "the listings in Texas of all systems, with fewer fields: no agents, no coordinates, no Placekey",
    grants: granting([{ kind: "state", value: "TX" }], everyDataset, fewerFields),
  },
];
