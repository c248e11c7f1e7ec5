import { datasetProperty, type Mask, type ScopeOptions } from "@cadastre/entitlement";
import type { EntitySet, EntityType } from "@cadastre/odata";
import type { StoredResource } from "@cadastre/store";
import { scopeOptionsOf, storedResources } from "../../src/catalog.ts";
import { valuesOfField } from "../support/field-values.ts";
import { randomOf } from "../support/random.ts";
import {
  firstSystem,
  randomFieldsOf,
  secondSystem,
  testCatalog,
  thirdSystem,
} from "../support/test-catalog.ts";

const { model: entityModel, entitySet } = testCatalog;

/*
 * The values that cases are made of: so few keys, fields and values that hidden and visible records have many in common.
 */

/** The time of all requests, in seconds since 1970. */
export const now = 1_750_000_000;

/** Datasets that an entitlement may grant. */
export const datasets = [firstSystem.datasetId, secondSystem.datasetId, thirdSystem.datasetId] as const;

/** Datasets that a record of the resource may belong to; null for a record that all datasets share. */
export const datasetsOf = (resource: ResourceName): readonly (string | null)[] =>
  resource === "Lookup" ? [...datasets, null, null] : datasets;

/** The dataset that no entitlement grants. */
export const ungranted = "00000000-0000-4000-8000-000000000000";

export const regions = [
  { kind: "national", value: "US" },
  { kind: "state", value: "TX" },
  { kind: "state", value: "OR" },
  { kind: "county", value: "TX/Travis" },
  { kind: "zip", value: "78701" },
  { kind: "originating_system", value: firstSystem.name },
] as const;

/** Points, with the "where" part of their Placekeys. */
export const places = [
  { Latitude: 30.271, Longitude: -97.741, where: "8t2-fjb-26k" },
  { Latitude: 30.274, Longitude: -97.741, where: "8t2-fjb-45f" },
  { Latitude: 30.274, Longitude: -97.738, where: "8t2-fj4-qmk" },
  { Latitude: 44.058, Longitude: -121.315, where: "5wn-s77-q4v" },
] as const;

/** Keys of each resource. */
export const keys = {
  Property: ["p0", "p1", "p2", "p3", "p4", "p5", "p6", "p7"],
  Media: ["m0", "m1", "m2"],
  MediaAsset: ["f0", "f1", "f2", "f3", "f4", "f5"],
  Member: ["a0", "a1"],
  Office: ["o0", "o1"],
  OpenHouse: ["h0", "h1"],
  Lookup: ["l0", "l1", "l2"],
  PublicRecord: ["r0", "r1", "r2", "r3"],
} as const;
export const absentKey = "z";

export type ResourceName = keyof typeof keys;
/** All resources that a store has records of. */
export const recordNames = Object.keys(keys) as readonly ResourceName[];
/** Resources that are only exported; all others can also be queried with OData. */
const exportedNames: readonly ResourceName[] = ["MediaAsset", "PublicRecord"];
export const resourceNames = recordNames.filter((name) => !exportedNames.includes(name));

/** `OriginatingSystemName` of records. */
export const systems = [firstSystem.name, secondSystem.name] as const;
const instants = ["2024-05-01T10:00:00.000Z", "2024-05-02T10:00:00.000Z"];

/**
 * Values of each field in JSON form, including null if the field may be null. Some become equal under a mask: ZIP codes with a common
 * prefix, places close to each other.
 */
const standardFields: Readonly<Record<ResourceName, Readonly<Record<string, readonly unknown[]>>>> = {
  Property: {
    ListingId: [null, "1", "2"],
    UniversalPropertyId: [null, "u1", "u2"],
    ParcelNumber: [null, "1", "2"],
    UnparsedAddress: [null, "1 Oak, Austin 78701", "2 Oak, Austin 78702"],
    OriginatingSystemName: systems,
    ModificationTimestamp: instants,
    PhotosChangeTimestamp: [null, ...instants],
    StateOrProvince: [null, "TX", "OR"],
    CountyOrParish: [null, "Travis", "Deschutes"],
    PostalCode: [null, "78701", "78702", "78701-1234", "97701"],
    City: [null, "", "Austin", "austin", "O'Fallon", "Bend"],
    StreetNumber: [null, "1", "12", "2"],
    StreetDirPrefix: [null, null, "N"],
    StreetName: [null, "Oak", "Oak", "Elm"],
    StreetSuffix: [null, "St", "Street"],
    StreetDirSuffix: [null],
    UnitNumber: [null, null, "1"],
    PropertyType: [null, ...Array<string>(4).fill("Residential")],
    StandardStatus: [null, "Active", "Closed"],
    OnMarketDate: [null, "2024-02-01", "2024-02-15"],
    OffMarketDate: [null, "2024-03-01"],
    ListPrice: [null, 0, 350_000, 350_000.4, 350_000.5],
    LivingArea: [null, 0.07, 0.11, 1500],
    ClosePrice: [null, 340_000, 360_000.5],
    CloseDate: [null, "2024-02-29", "2023-12-31"],
    BedroomsTotal: [null, 0, 3],
    PoolPrivateYN: [null, true, false],
    Appliances: [[], ["Oven"], ["Oven", "Dishwasher"]],
    PublicRemarks: [null, "Oven", "Ovens", "quiet"],
    ListAgentKey: [null, "a0", "a1"],
    BuyerAgentKey: [null, "a0"],
    Latitude: [null, ...places.map(({ Latitude }) => Latitude)],
    Longitude: [null, ...places.map(({ Longitude }) => Longitude)],
    Placekey: [null, "222-222", "223-223"],
  },
  Media: {
    OriginatingSystemName: systems,
    ModificationTimestamp: instants,
    ResourceName: [null, ...Array<string>(4).fill("Property")],
    ResourceRecordKey: [null, ...keys.Property, absentKey],
    Order: [null, 0, 1],
    MediaURL: [null, "https://media.example/1", "https://media.example/2"],
    ShortDescription: [null, "Oven", "Ovens", "quiet"],
    Permission: [[], [], ["Public"], ["IDX", "Vow"], ["Private"], ["IDX", "Office Only"]],
  },
  MediaAsset: {
    OriginatingSystemName: systems,
    ModificationTimestamp: instants,
    MediaKey: [...keys.Media, absentKey],
    Bytes: [1000, 2000],
    Url: [null, "https://media.example/1", "https://media.example/2"],
  },
  Member: {
    OriginatingSystemName: systems,
    ModificationTimestamp: instants,
    MemberStatus: [null, "Active", "Inactive"],
    MemberEmail: [null, "a@example.com", "b@example.com"],
    OfficeKey: [null, "o0", "o1"],
  },
  Office: {
    OriginatingSystemName: systems,
    ModificationTimestamp: instants,
    OfficeStatus: [null, "Active", "Inactive"],
    OfficePhone: [null, "512-555-0100", "512-555-0101"],
    OfficeEmail: [null, "a@example.com", "b@example.com"],
  },
  OpenHouse: {
    OriginatingSystemName: systems,
    ModificationTimestamp: instants,
    ListingKey: [null, ...keys.Property, absentKey],
    OpenHouseDate: [null, "2024-02-29", "2023-12-31"],
    OpenHouseRemarks: [null, "Oven", "Ovens", "quiet"],
  },
  Lookup: {
    ModificationTimestamp: instants,
    LookupName: ["StandardStatus", "Appliances", "MemberStatus", "Permission", "Nope"],
    LookupValue: ["Active", "Acre", "Oven"],
    StandardLookupValue: [null, "Active", "Oven"],
  },
  PublicRecord: {
    OriginatingSystemName: systems,
    ModificationTimestamp: instants,
    CountyFips: ["48453", "41017"],
    ParcelNumber: ["1", "2"],
    StateOrProvince: [null, "TX", "OR"],
    CountyOrParish: [null, "Travis", "Deschutes"],
    PostalCode: [null, "78701", "78702", "97701"],
    City: [null, "", "Austin", "O'Fallon"],
    AssessedTotalValue: [null, 0, 350_000, 350_000.5],
    OwnerOccupied: [null, true, false],
    TaxExemptions: [[], ["Homestead"], ["Homestead", "Oven"]],
  },
};

/** `FIELDS=few` leaves out most fields of listings, and most local ones: soaks then find as much in less time. */
const hasFewFields = process.env["FIELDS"] === "few";

/** Fields of listings that are kept of few: at least one of each type, with each mask, and with each meaning. */
const fewFields: ReadonlySet<string> = new Set([
  "OriginatingSystemName",
  "ModificationTimestamp",
  "StateOrProvince",
  "CountyOrParish",
  "PostalCode",
  "City",
  "StandardStatus",
  "OnMarketDate",
  "ListPrice",
  "BedroomsTotal",
  "PoolPrivateYN",
  "Appliances",
  "PublicRemarks",
  "ListAgentKey",
  "BuyerAgentKey",
  "Latitude",
  "Longitude",
  "Placekey",
]);

const kept = <T>(name: ResourceName, of: Readonly<Record<string, T>>): Readonly<Record<string, T>> =>
  hasFewFields && name === "Property"
    ? Object.fromEntries(Object.entries(of).filter(([field]) => fewFields.has(field)))
    : of;

const random = randomOf(1);

/** Values of some local fields of a random catalog: with all of them, tests would take longer. */
const randomFields = (name: ResourceName): Readonly<Record<string, readonly unknown[]>> =>
  Object.fromEntries(
    randomFieldsOf(name)
      .filter(() => random.chance(0.4))
      .slice(0, hasFewFields ? 2 : undefined)
      .map((field) => {
        const values = valuesOfField(field, 3);
        return [field.name, field.collection ? [[], ...values] : [null, ...values]];
      }),
  );

export const fields: typeof standardFields = Object.fromEntries(
  recordNames.map((name) => [name, { ...kept(name, standardFields[name]), ...randomFields(name) }]),
) as unknown as typeof standardFields;

const standardMasks: Readonly<Record<ResourceName, Readonly<Record<string, readonly Mask[]>>>> = {
  Property: {
    PostalCode: ["prefix3", "prefix5"],
    Latitude: ["round2", "round0"],
    Longitude: ["round2", "round0"],
    ListPrice: ["round0"],
    LivingArea: ["round1"],
    BedroomsTotal: ["round0"],
    StreetNumber: ["prefix1"],
    UnparsedAddress: ["prefix1"],
    UniversalPropertyId: ["prefix1"],
    PublicRemarks: ["prefix2"],
    Placekey: ["prefix4"],
  },
  Media: { MediaURL: ["prefix8"], ShortDescription: ["prefix4"] },
  MediaAsset: { MediaKey: ["prefix1"], Url: ["prefix8"] },
  Member: { MemberEmail: ["prefix1", "prefix32"] },
  Office: { OfficePhone: ["prefix7"] },
  OpenHouse: { OpenHouseRemarks: ["prefix4"] },
  Lookup: { LookupValue: ["prefix2"], StandardLookupValue: ["prefix1"] },
  PublicRecord: { PostalCode: ["prefix3"], AssessedTotalValue: ["round0"], ParcelNumber: ["prefix1"] },
};

/** Masks of a field other than `null`, chosen so that some of its values become equal. */
export const masks = Object.fromEntries(
  recordNames.map((name) => [name, kept(name, standardMasks[name])]),
) as unknown as typeof standardMasks;

/** Fields other than those of the table: the key, and fields that are computed from others. */
const further: Readonly<Record<ResourceName, readonly string[]>> = {
  Property: ["ListingKey", "Coordinates"],
  Media: ["MediaKey"],
  MediaAsset: ["MediaAssetId"],
  Member: ["MemberKey"],
  Office: ["OfficeKey"],
  OpenHouse: ["OpenHouseKey"],
  Lookup: ["LookupKey"],
  PublicRecord: ["PublicRecordKey"],
};

/** Returns the service's entity set with only these fields: with all 946, tests would find the same and take longer. */
function narrowed(name: ResourceName): EntitySet {
  const set = entitySet(name);
  const kept = new Set([...further[name], ...Object.keys(fields[name])]);
  const properties = new Map([...set.type.properties].filter(([property]) => kept.has(property)));
  const type: EntityType = { name: set.type.name, key: set.type.key, properties };
  return { ...set, type };
}

const narrowedSets = new Map(recordNames.map((name) => [name, narrowed(name)]));

export function universeSet(name: ResourceName): EntitySet {
  const found = narrowedSets.get(name);
  if (found === undefined) throw new RangeError(`no set ${name}`);
  return found;
}

export const keyOf = (name: ResourceName): string => universeSet(name).type.key[0] ?? "";

/** Returns the dataset of the only system that has a field; undefined if all systems have it. */
export function datasetOfField(name: ResourceName, field: string): string | undefined {
  const source = testCatalog.fieldsOf(name).find((one) => one.name === field)?.source;
  return testCatalog.systems.find(({ id }) => id === source)?.datasetId;
}

/** Every entity set that a grant may name. */
const entitySets: readonly EntitySet[] = [
  ...entityModel.entitySets.map((set) => narrowedSets.get(set.name as ResourceName) ?? set),
  ...exportedNames.map(universeSet),
];

/** Options of the scopes of customers. */
export const scopeOptions: ScopeOptions = { ...scopeOptionsOf(testCatalog), entitySets };

/** The resources as the service stores them, with those of its columns and indexes whose fields are kept. */
export const resources: readonly StoredResource[] = storedResources(testCatalog).flatMap((stored) => {
  const set = narrowedSets.get(stored.entitySet.name as ResourceName);
  if (set === undefined) return [];
  const isKept = (name: string) => set.type.properties.has(name) || name === datasetProperty.name;
  const { indexes, folded = [], texts = [] } = stored;
  const columns = stored.columns.filter(isKept);
  const areKept = (index: readonly string[]) => index.every(isKept);
  return [
    {
      ...stored,
      entitySet: set,
      columns,
      indexes: indexes.filter(areKept),
      folded: folded.filter(areKept),
      texts: texts.filter(isKept),
    },
  ];
});
