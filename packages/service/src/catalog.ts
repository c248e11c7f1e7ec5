import {
  datasetProperty,
  listingProperties,
  mediaPermissionProperty,
  provisionalIdProperty,
  type ScopeOptions,
} from "@cadastre/entitlement";
import { type Catalog, type RecordName, recordNames } from "@cadastre/reso";
import type { Follows, StoredResource } from "@cadastre/store";
import { provisionalIdRow } from "./identity/provisional-id.ts";
import { listingColumns } from "./ingest/listing-values.ts";

/** Returns a function that computes a value for a catalog once. */
export function perCatalog<T>(make: (catalog: Catalog) => T): (catalog: Catalog) => T {
  const made = new WeakMap<Catalog, T>();
  return (catalog) => {
    const known = made.get(catalog) ?? make(catalog);
    made.set(catalog, known);
    return known;
  };
}

/** Returns the entity sets and datasets that entitlements can grant, and the dataset of each local field. */
export const scopeOptionsOf = perCatalog(({ entitySet, fieldsOf, systems }): ScopeOptions => {
  const datasets = new Map(systems.map(({ id, datasetId }) => [id, datasetId]));
  return {
    entitySets: recordNames.map(entitySet),
    datasets: new Set(datasets.values()),
    localFields: new Map(
      recordNames.map((name) => [
        name,
        new Map(
          fieldsOf(name).flatMap(({ name: field, source }) =>
            source === null ? [] : [[field, datasets.get(source) ?? ""] as const],
          ),
        ),
      ]),
    ),
  };
});

/**
 * Returns the columns of an index, preceded by the dataset. Every query of a resource with datasets names the datasets that it may read, so such an index finds, counts
 * and sorts their rows without touching those of other datasets, and the time of an answer does not reveal how many there are. The index
 * of the dataset alone serves filters that no other index serves: it finds rows in table order.
 */
const ofDataset = (columns: readonly string[]): readonly string[] => [datasetProperty.name, ...columns];

/** Storage of a resource, whatever fields a catalog has. */
type ResourceStorage = Omit<StoredResource, "entitySet">;

/** Indexes of the first schema that there still are, without the dataset. */
const formerIndexes = {
  Property: [
    ["ModificationTimestamp", "ListingKey"],
    ["OriginatingSystemName", "ListingId"],
    ["OriginatingSystemName", "ModificationTimestamp", "ListingKey"],
    ["UniversalPropertyId"],
    ["Placekey"],
    [provisionalIdProperty.name],
    ["StateOrProvince", "CountyOrParish"],
    ["City", "ListPrice"],
    ["PostalCode", "ListPrice"],
    ["ListPrice", "ListingKey"],
    ["BedroomsTotal", "ListPrice"],
    ["ListAgentKey"],
    ["ListOfficeKey"],
  ],
  Member: [
    ["ModificationTimestamp", "MemberKey"],
    ["OriginatingSystemName", "ModificationTimestamp", "MemberKey"],
    ["MemberMlsId"],
    ["OfficeKey"],
  ],
  Office: [
    ["ModificationTimestamp", "OfficeKey"],
    ["OriginatingSystemName", "ModificationTimestamp", "OfficeKey"],
    ["OfficeMlsId"],
  ],
  Media: [
    ["ModificationTimestamp", "MediaKey"],
    ["OriginatingSystemName", "ModificationTimestamp", "MediaKey"],
  ],
  OpenHouse: [
    ["ModificationTimestamp", "OpenHouseKey"],
    ["OriginatingSystemName", "ModificationTimestamp", "OpenHouseKey"],
    ["OpenHouseDate"],
  ],
} as const;

/**
 * Storage of Property. Its columns are the properties that the typical look-ups filter and sort by; all others are read from the record.
 * Source of the look-ups: interface specification, section 4.1.
 */
const property: ResourceStorage = {
  columns: [
    "OriginatingSystemName",
    "ListingId",
    "UniversalPropertyId",
    "Placekey",
    "ModificationTimestamp",
    "OriginalEntryTimestamp",
    "StatusChangeTimestamp",
    "PriceChangeTimestamp",
    "PhotosChangeTimestamp",
    "StandardStatus",
    "MlsStatus",
    "PropertyType",
    "PropertySubType",
    "ListPrice",
    "OriginalListPrice",
    "ClosePrice",
    "CloseDate",
    "ListingContractDate",
    "OnMarketDate",
    "DaysOnMarket",
    "City",
    "StateOrProvince",
    "CountyOrParish",
    "PostalCode",
    "SubdivisionName",
    "UnparsedAddress",
    "StreetName",
    "PublicRemarks",
    "Latitude",
    "Longitude",
    "Coordinates",
    "BedroomsTotal",
    "BathroomsTotalInteger",
    "BathroomsFull",
    "LivingArea",
    "LotSizeAcres",
    "LotSizeSquareFeet",
    "YearBuilt",
    "StoriesTotal",
    "GarageSpaces",
    "ListAgentKey",
    "ListOfficeKey",
    "BuyerAgentKey",
    "BuyerOfficeKey",
  ],
  // Bedrooms follow status and price so that a count by all three reads the index alone. The listings of a status, a city and a ZIP code are in
  // the order of pages, because sorting them takes as long as there are listings; what else look-ups compare is read there, too. A grid over a
  // map reads places, and what scopes and most filters of a map name, from an index alone.
  indexes: [
    [],
    ["ListingKey"],
    ["StandardStatus", "ListPrice", "BedroomsTotal"],
    ["StandardStatus", "ModificationTimestamp", "ListingKey", "ListPrice", "BedroomsTotal"],
    ["City", "ModificationTimestamp", "ListingKey", "ListPrice"],
    ["PostalCode", "ModificationTimestamp", "ListingKey", "ListPrice"],
    ["Latitude", "Longitude", "StandardStatus", "ListPrice", "OriginatingSystemName", "StateOrProvince"],
    ...formerIndexes.Property,
  ].map(ofDataset),
  formerIndexes: [
    ...formerIndexes.Property,
    ["StandardStatus", "ModificationTimestamp", "ListingKey"],
    ["City", "folded"],
    ["UnparsedAddress", "folded"],
  ],
  points: ["Coordinates"],
  texts: ["PublicRemarks", "UnparsedAddress", "StreetName", "City"],
  folded: [["City"], ["UnparsedAddress"]].map(ofDataset),
  hidden: [provisionalIdProperty],
  derived: provisionalIdRow,
  counted: {
    system: "OriginatingSystemName",
    places: [
      { column: "StateOrProvince" },
      { column: "CountyOrParish" },
      { column: "PostalCode", characters: 5 },
    ],
  },
};

const member: ResourceStorage = {
  columns: ["OriginatingSystemName", "ModificationTimestamp", "MemberMlsId", "MemberStatus", "OfficeKey"],
  indexes: [[], ["MemberKey"], ...formerIndexes.Member].map(ofDataset),
  formerIndexes: formerIndexes.Member,
};

const office: ResourceStorage = {
  columns: ["OriginatingSystemName", "ModificationTimestamp", "OfficeMlsId", "OfficeStatus"],
  indexes: [[], ["OfficeKey"], ...formerIndexes.Office].map(ofDataset),
  formerIndexes: formerIndexes.Office,
};

/**
 * Properties that decide if a listing is visible, copied to the rows that are visible only with their listing. When a listing changes,
 * these rows are found by its key in any dataset, so the dataset comes second in that index.
 */
const hidden = Object.values(listingProperties);

/** @param key property that refers to the listing */
const followsListing = (key: string): Follows => ({ resource: "Property", key, values: listingColumns });

const media: ResourceStorage = {
  columns: ["OriginatingSystemName", "ModificationTimestamp", "ResourceRecordKey", "Order", "Permission"],
  indexes: [
    ...[[], ["MediaKey"], ...formerIndexes.Media].map(ofDataset),
    ["ResourceRecordKey", datasetProperty.name, "Order"],
  ],
  formerIndexes: [...formerIndexes.Media, ["ResourceRecordKey", "Order"]],
  hidden,
  follows: followsListing("ResourceRecordKey"),
};

/** Its hidden columns copy those of its media record, and the permission of that record. */
const mediaAsset: ResourceStorage = {
  columns: ["MediaKey"],
  indexes: [["MediaKey"]],
  hidden: [...hidden, mediaPermissionProperty],
  follows: {
    resource: "Media",
    key: "MediaKey",
    values: {
      ...Object.fromEntries(hidden.map(({ name }) => [name, name])),
      [mediaPermissionProperty.name]: "Permission",
    },
  },
};

const openHouse: ResourceStorage = {
  columns: ["OriginatingSystemName", "ModificationTimestamp", "ListingKey", "OpenHouseDate"],
  indexes: [
    ...[[], ["OpenHouseKey"], ...formerIndexes.OpenHouse].map(ofDataset),
    ["ListingKey", datasetProperty.name, "OpenHouseDate"],
  ],
  formerIndexes: [...formerIndexes.OpenHouse, ["ListingKey", "OpenHouseDate"]],
  hidden,
  follows: followsListing("ListingKey"),
};

const lookup: ResourceStorage = {
  shared: true,
  columns: ["LookupName", "LookupValue", "ModificationTimestamp"],
  indexes: [
    ["ModificationTimestamp", "LookupKey"],
    ["LookupName", "LookupValue"],
  ],
};

const publicRecord: ResourceStorage = {
  columns: ["OriginatingSystemName", "Placekey", "StateOrProvince", "CountyOrParish", "PostalCode"],
  indexes: [["Placekey"]],
};

/**
 * Version of the catalog. Raise it with every release that changes how records are stored. A program refuses a database that was written
 * with a higher version than its own.
 */
export const catalogVersion = 3;

/** Storage of every resource, ordered so that each refers only to earlier ones. */
const storage: Readonly<Record<RecordName, ResourceStorage>> = {
  Office: office,
  Member: member,
  Property: property,
  Media: media,
  MediaAsset: mediaAsset,
  OpenHouse: openHouse,
  Lookup: lookup,
  PublicRecord: publicRecord,
};

/** Returns every resource with a table, ordered so that each refers only to earlier ones. */
export const storedResources = perCatalog(({ entitySet }): readonly StoredResource[] =>
  Object.entries(storage).map(([name, stored]) => ({ entitySet: entitySet(name as RecordName), ...stored })),
);

/** True if an index finds the records of a resource by a field: its key, or the first field of an index after the dataset. */
export const isIndexedField = (resource: RecordName, field: string): boolean =>
  storage[resource].indexes.some((index) => index.find((name) => name !== datasetProperty.name) === field);

/** Default order of a collection; the key is the tie-breaker. */
export const defaultOrder: readonly string[] = ["ModificationTimestamp"];

/** Largest page of a collection, in records. Source: interface specification, section 8. */
export const maxTop = 1000;

/** Largest page of a collection with `$expand`, in records. Source: interface specification, section 8. */
export const maxTopExpanded = 500;

/** Largest `$skip`, in records. Source: interface specification, section 8. */
export const maxSkip = 10_000;
