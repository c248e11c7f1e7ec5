import type { DatasetGrant, Entitlement, Mask, Region } from "@cadastre/entitlement";
import { domainNames } from "@cadastre/manifest";
import { type Catalog, recordNames, resourceNames } from "@cadastre/reso";
import { sampleCatalog, sampleSystems } from "@cadastre/sample/catalog";

/** Customer of the demo: name of its key, and grants of its entitlement. */
export type DemoCustomer = {
  readonly name: string;
  /** One-sentence description of the records that the key sees. */
  readonly summary: string;
  readonly grants: Pick<Entitlement, "products" | "channels" | "capabilities" | "regions" | "datasets">;
};

/** Fields to find and compare listings: without agents, private remarks, coordinates and local fields. */
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

const maskWithNull = (names: readonly string[]): Readonly<Record<string, Mask>> =>
  Object.fromEntries(names.map((name) => [name, "null"]));

/** Fields that identify the parcel of a home. */
const parcelFields = [
  "ParcelNumber",
  "UniversalPropertyId",
  "UniversalPropertySubId",
  "AdditionalParcelsDescription",
  "TaxBlock",
  "TaxBookNumber",
  "TaxLegalDescription",
  "TaxLot",
  "TaxMapNumber",
  "TaxParcelLetter",
  "TaxTract",
];

/** Fields that contain or may mention an address: free texts, areas named by a ZIP code, and links. */
const fieldsWithAddress = [
  "UnparsedAddress",
  "StreetAdditionalInfo",
  "BuildingName",
  "Directions",
  "LockBoxLocation",
  "MapCoordinate",
  "MapURL",
  "MLSAreaMajor",
  "MLSAreaMinor",
  "PublicRemarks",
  "PrivateRemarks",
  "PrivateOfficeRemarks",
  "SyndicationRemarks",
  "ShowingInstructions",
  "ListingURL",
  "VirtualTourURLBranded",
  "VirtualTourURLUnbranded",
];

/** Local fields of the systems that may mention the address. */
const localFieldsWithAddress = sampleCatalog
  .fieldsOf("Property")
  .filter(({ source, mayReveal }) => source !== null && mayReveal !== undefined)
  .map(({ name }) => name);

/** Masks that leave only the rough location of a home, to within a few streets. */
const coarsePlaces: Readonly<Record<string, Mask>> = {
  ...maskWithNull(["StreetNumber", "StreetNumberNumeric", "UnitNumber", "PostalCodePlus4"]),
  ...maskWithNull([...parcelFields, ...fieldsWithAddress, ...localFieldsWithAddress]),
  PostalCode: "prefix3",
  Latitude: "round2",
  Longitude: "round2",
};

/** Grants all fields of the resources, except for private media and the contact fields of members and offices. */
const grantAllFields = (names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, { fields: "*" as const }]));
const everyField = grantAllFields(recordNames);
// Without public records, which have the location and sale price of a home.
const listingsAlone = grantAllFields([...resourceNames, "MediaAsset"]);
const withContacts = {
  ...everyField,
  Member: { fields: "*", contact: true },
  Office: { fields: "*", contact: true },
} as const;
const everything = {
  ...withContacts,
  Media: { fields: "*", private: true },
  MediaAsset: { fields: "*", private: true },
} as const;
const fewerFields = { ...listingsAlone, Property: { fields: publicFields } };
const coarse = {
  ...listingsAlone,
  Property: { fields: "*", masks: coarsePlaces },
  Media: { fields: "*", masks: maskWithNull(["LongDescription", "ShortDescription", "MediaHTML"]) },
  OpenHouse: { fields: "*", masks: maskWithNull(["OpenHouseRemarks"]) },
} as const;

const granting = (
  regions: readonly Region[],
  datasets: readonly string[],
  resources: DatasetGrant["resources"],
): DemoCustomer["grants"] => ({
  products: domainNames.filter((name) => name !== "public_record" || "PublicRecord" in resources),
  channels: { api: true, odata: true, file_delivery: true },
  capabilities: ["file_export_push"],
  regions,
  datasets: datasets.map((dataset_id) => ({ dataset_id, resources })),
});

const everyDataset = sampleSystems.map(({ datasetId }) => datasetId);
const [market] = sampleSystems;

/** Demo customers. All have every channel; the first one sees everything. */
export const demoCustomers: readonly DemoCustomer[] = [
  {
    name: "national",
    summary: `every listing of all ${sampleSystems.length} systems, every field, private media and public records too`,
    grants: granting([{ kind: "national", value: "US" }], everyDataset, everything),
  },
  {
    name: "market",
    summary: `the listings of ${market.name} alone, every field, and its public records`,
    grants: granting([{ kind: "originating_system", value: market.name }], [market.datasetId], withContacts),
  },
  {
    name: "state",
    summary:
      "the listings in Texas of all systems, with fewer fields: no agents, no coordinates, no Placekey",
    grants: granting([{ kind: "state", value: "TX" }], everyDataset, fewerFields),
  },
  {
    name: "coarse",
    summary:
      "the listings in Washington of all systems, their places masked: no address, no remarks, a ZIP of three digits",
    grants: granting([{ kind: "state", value: "WA" }], everyDataset, coarse),
  },
];

/** Returns a demo customer's name in the registry. */
export const idOf = ({ name }: Pick<DemoCustomer, "name">): string => `demo-${name}`;

/** True if a catalog has all systems of the sample, which the demo's customers are granted. */
export const hasSampleSystems = ({ systems }: Catalog): boolean => {
  const known = new Set(systems.map(({ datasetId }) => datasetId));
  return everyDataset.every((datasetId) => known.has(datasetId));
};
