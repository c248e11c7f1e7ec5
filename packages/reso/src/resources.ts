import type { CatalogDefinition, LocalField, LocalResource, OriginatingSystem } from "./definition.ts";
import { type Dictionary, packagedResource, recordNames } from "./dictionary.ts";
import type { ResourceName } from "./dictionary-data.ts";
import { defineField, type Field } from "./field.ts";
import { isOwnResource, type RecordName } from "./own-resources.ts";

export type ResoResource = {
  readonly name: RecordName;
  /** Name of the key field. */
  readonly key: string;
  /** Dictionary fields, derived fields, then local fields by originating system. Each group is sorted by name. */
  readonly fields: readonly Field[];
};

/** Returns the name of a resource's key field. */
export const keyFieldOf = (name: RecordName): string => packagedResource(name).key;

/** Returns the resources of a catalog, with the fields that it serves. */
export const describeResources = (
  definition: CatalogDefinition,
  dictionary: Dictionary,
): ReadonlyMap<RecordName, ResoResource> =>
  new Map(
    recordNames.map((name) => [
      name,
      {
        name,
        key: keyFieldOf(name),
        fields: [
          ...servedFieldsOf(name, definition, dictionary),
          ...definition.systems.flatMap((system) => localFieldsOf(system, name)),
        ],
      },
    ]),
  );

function servedFieldsOf(
  name: RecordName,
  { standardFields }: CatalogDefinition,
  { fieldsOf }: Dictionary,
): readonly Field[] {
  const fields = fieldsOf(name);
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
  ...packagedResource(name)
    .fields.filter(
      ({ nullable, collection, derivedFrom }) => (!nullable && !collection) || derivedFrom !== undefined,
    )
    .map((field) => field.name),
  ...(core[name] ?? []),
];
