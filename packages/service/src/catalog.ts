import {
  datasetProperty,
  listingProperties,
  mediaPermissionProperty,
  provisionalIdProperty,
  type ScopeOptions,
} from "@cadastre/entitlement";
import { entitySet, originatingSystems, recordNames } from "@cadastre/reso";
import type { Follows, StoredResource } from "@cadastre/store";
import { listingColumns } from "./data/listing-values.ts";
import { identityValues } from "./identity/provisional-id.ts";

/** What entitlements can grant: every resource, those that are no entity sets too, of the known datasets. */
export const scopeOptions: ScopeOptions = {
  entitySets: recordNames.map(entitySet),
  datasets: new Set(originatingSystems.map(({ datasetId }) => datasetId)),
};

/**
 * Every query names the datasets that it may read. An index that begins with the dataset finds, counts and sorts the rows of these
 * datasets without a look at those of others, so that the time of an answer does not tell how many there are. The index of the dataset
 * alone is for filters that no other index serves: it finds rows in the order in which the table has them.
 */
const ofDataset = (columns: readonly string[]): readonly string[] => [datasetProperty.name, ...columns];

/** Indexes that the first schema had, without the dataset. */
const formerIndexes = {
  Property: [
    ["ModificationTimestamp", "ListingKey"],
    ["OriginatingSystemName", "ListingId"],
    ["OriginatingSystemName", "ModificationTimestamp", "ListingKey"],
    ["UniversalPropertyId"],
    ["Placekey"],
    [provisionalIdProperty.name],
    ["StandardStatus", "ModificationTimestamp", "ListingKey"],
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
 * How Property lies in the database. Columns: what the typical lookups filter and sort by; the other properties
 * are read from the record. Source of the lookups: interface specification, section 4.1.
 */
const property: StoredResource = {
  entitySet: entitySet("Property"),
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
  indexes: [[], ["ListingKey"], ["StandardStatus", "ListPrice"], ...formerIndexes.Property].map(ofDataset),
  formerIndexes: [...formerIndexes.Property, ["City", "folded"], ["UnparsedAddress", "folded"]],
  points: ["Coordinates"],
  folded: [["City"], ["UnparsedAddress"]].map(ofDataset),
  hidden: [provisionalIdProperty],
  derived: identityValues,
  counted: {
    system: "OriginatingSystemName",
    places: [
      { column: "StateOrProvince" },
      { column: "CountyOrParish" },
      { column: "PostalCode", characters: 5 },
    ],
  },
};

const member: StoredResource = {
  entitySet: entitySet("Member"),
  columns: ["OriginatingSystemName", "ModificationTimestamp", "MemberMlsId", "MemberStatus", "OfficeKey"],
  indexes: [[], ["MemberKey"], ...formerIndexes.Member].map(ofDataset),
  formerIndexes: formerIndexes.Member,
};

const office: StoredResource = {
  entitySet: entitySet("Office"),
  columns: ["OriginatingSystemName", "ModificationTimestamp", "OfficeMlsId", "OfficeStatus"],
  indexes: [[], ["OfficeKey"], ...formerIndexes.Office].map(ofDataset),
  formerIndexes: formerIndexes.Office,
};

/**
 * Rows that are visible with their listing carry what decides that. When a listing moves, its rows are found by its key, whatever their
 * dataset, so the dataset comes second in that index.
 */
const hidden = Object.values(listingProperties);

/** @param key where they name their listing */
const followsListing = (key: string): Follows => ({ resource: "Property", key, values: listingColumns });

const media: StoredResource = {
  entitySet: entitySet("Media"),
  columns: ["OriginatingSystemName", "ModificationTimestamp", "ResourceRecordKey", "Order", "Permission"],
  indexes: [
    ...[[], ["MediaKey"], ...formerIndexes.Media].map(ofDataset),
    ["ResourceRecordKey", datasetProperty.name, "Order"],
  ],
  formerIndexes: [...formerIndexes.Media, ["ResourceRecordKey", "Order"]],
  hidden,
  follows: followsListing("ResourceRecordKey"),
};

/** What its media says, and what the media's listing says to that. */
const mediaAsset: StoredResource = {
  entitySet: entitySet("MediaAsset"),
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

const openHouse: StoredResource = {
  entitySet: entitySet("OpenHouse"),
  columns: ["OriginatingSystemName", "ModificationTimestamp", "ListingKey", "OpenHouseDate"],
  indexes: [
    ...[[], ["OpenHouseKey"], ...formerIndexes.OpenHouse].map(ofDataset),
    ["ListingKey", datasetProperty.name, "OpenHouseDate"],
  ],
  formerIndexes: [...formerIndexes.OpenHouse, ["ListingKey", "OpenHouseDate"]],
  hidden,
  follows: followsListing("ListingKey"),
};

const lookup: StoredResource = {
  entitySet: entitySet("Lookup"),
  columns: ["LookupName", "LookupValue", "ModificationTimestamp"],
  indexes: [
    ["ModificationTimestamp", "LookupKey"],
    ["LookupName", "LookupValue"],
  ],
};

const publicRecord: StoredResource = {
  entitySet: entitySet("PublicRecord"),
  columns: ["OriginatingSystemName", "Placekey", "StateOrProvince", "CountyOrParish", "PostalCode"],
  indexes: [["Placekey"]],
};

/**
 * Version of the catalog. Raise it with every release that changes how records are stored. A program with a lower version refuses a
 * database that a higher version has written.
 */
export const catalogVersion = 2;

/** Every resource with a table, in an order in which each refers to earlier ones only. */
export const storedResources: readonly StoredResource[] = [
  office,
  member,
  property,
  media,
  mediaAsset,
  openHouse,
  lookup,
  publicRecord,
];

/** Order of a collection where the request gives none; the key follows. */
export const defaultOrder: readonly string[] = ["ModificationTimestamp"];

/** Longest page of a collection, in records. Source: interface specification, section 8. */
export const maxTop = 1000;

/** Farthest `$skip`, in records. Source: interface specification, section 8. */
export const maxSkip = 10_000;
