import type { CatalogDefinition, LocalField, LocalResource, OriginatingSystem } from "./definition.ts";
import { derivedFields } from "./derived-fields.ts";
import {
  type DictionaryResource,
  dictionaryResource,
  type ResourceName,
  resourceNames,
} from "./dictionary.ts";
import { disclosuresOf } from "./disclosures.ts";
import { defineField, type Field } from "./field.ts";
import { isOwnResource, ownResource, ownResourceNames, type RecordName } from "./own-resources.ts";

export const recordNames: readonly RecordName[] = [...resourceNames, ...ownResourceNames];

export type ResoResource = {
  readonly name: RecordName;
  /** Name of the key field. */
  readonly key: string;
  /** Dictionary fields, derived fields, then local fields by originating system. Each group is sorted by name. */
  readonly fields: readonly Field[];
};

/** Resources without local fields, by name. Their files are read once. */
const standard: ReadonlyMap<RecordName, DictionaryResource> = new Map(
  recordNames.map((name) => [name, withDisclosures(name)]),
);

function withDisclosures(name: RecordName): DictionaryResource {
  const { key, fields } = isOwnResource(name) ? ownResource(name) : dictionaryResource(name);
  const all = name === "Property" ? [...fields, ...derivedFields] : fields;
  return { key, fields: all.map((field) => ({ ...field, ...disclosuresOf(name, field.name) })) };
}

/** Returns a resource without local fields. @throws {RangeError} for an unknown name */
export function standardResource(name: RecordName): DictionaryResource {
  const found = standard.get(name);
  if (found === undefined) throw new RangeError(`unknown resource \`${name}\``);
  return found;
}

/** Returns the name of a resource's key field. */
export const keyFieldOf = (name: RecordName): string => standardResource(name).key;

/** Returns the resources of a catalog, with the fields that it serves. */
export const describeResources = (definition: CatalogDefinition): ReadonlyMap<RecordName, ResoResource> =>
  new Map(
    recordNames.map((name) => [
      name,
      {
        name,
        key: keyFieldOf(name),
        fields: [
          ...standardFieldsOf(name, definition),
          ...definition.systems.flatMap((system) => localFieldsOf(system, name)),
        ],
      },
    ]),
  );

function standardFieldsOf(name: RecordName, { standardFields }: CatalogDefinition): readonly Field[] {
  const { fields } = standardResource(name);
  if (isOwnResource(name)) return fields;
  const chosen = standardFields?.[name];
  if (chosen === undefined) return fields;
  const served = new Set([...chosen, ...coreFields(name)]);
  return fields.filter((field) => served.has(field.name));
}

const localFieldsOf = ({ id, fields }: OriginatingSystem, name: RecordName): readonly Field[] =>
  (fields?.[name as LocalResource] ?? []).map((facts: LocalField) =>
    defineField(facts, { source: id, required: false }),
  );

/** Standard fields of Property that the service itself reads, and that a catalog cannot leave out. Those never null come on top. */
const coreOfProperty: readonly string[] = [
  "ListingId",
  "UniversalPropertyId",
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
  "StreetNumber",
  "StreetName",
  "UnitNumber",
  "ParcelNumber",
  "PublicRemarks",
  "Latitude",
  "Longitude",
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
  "ListAgentKey",
  "ListOfficeKey",
  "BuyerAgentKey",
  "BuyerOfficeKey",
];

const core: Partial<Readonly<Record<ResourceName, readonly string[]>>> = {
  Property: coreOfProperty,
  Media: ["ResourceName", "ResourceRecordKey", "Order", "MediaURL", "MediaCategory", "Permission"],
  Member: ["MemberMlsId", "MemberStatus", "OfficeKey"],
  Office: ["OfficeMlsId", "OfficeStatus"],
  OpenHouse: ["ListingKey", "OpenHouseDate"],
  Lookup: ["LookupName", "LookupValue", "StandardLookupValue", "LegacyODataValue"],
};

/** Returns the standard fields that every catalog serves: those that are never null, derived ones, and those that the service itself reads. */
export const coreFields = (name: ResourceName): readonly string[] => [
  ...standardResource(name)
    .fields.filter(
      ({ nullable, collection, derivedFrom }) => (!nullable && !collection) || derivedFrom !== undefined,
    )
    .map((field) => field.name),
  ...(core[name] ?? []),
];
