import type { EntityType } from "@cadastre/odata";

/** Columns that a table begins with, by entity set: what says most about a record. */
const wanted: Readonly<Record<string, readonly string[]>> = {
  Property: [
    "ListingKey",
    "StandardStatus",
    "ListPrice",
    "UnparsedAddress",
    "City",
    "BedroomsTotal",
    "BathroomsTotalInteger",
    "LivingArea",
    "PropertyType",
    "OriginatingSystemName",
    "PostalCode",
    "ModificationTimestamp",
  ],
  Media: ["MediaKey", "ResourceRecordKey", "MediaCategory", "Order", "MediaURL", "ModificationTimestamp"],
  Member: ["MemberKey", "MemberFullName", "MemberType", "OfficeName", "MemberCity", "ModificationTimestamp"],
  Office: ["OfficeKey", "OfficeName", "OfficeCity", "OfficePhone", "OfficeStatus", "ModificationTimestamp"],
  OpenHouse: ["OpenHouseKey", "ListingKey", "OpenHouseDate", "OpenHouseStartTime", "OpenHouseType"],
  Lookup: ["LookupKey", "LookupName", "LookupValue", "StandardLookupValue"],
};

/** Number of columns that a table begins with. */
const columnsAtStart = 10;

/** Returns the columns that a table begins with, of those that the key sees. The key of the record is always one. */
export function firstColumns(entitySet: string, type: EntityType): readonly string[] {
  const good = (wanted[entitySet] ?? []).filter((name) => type.properties.has(name));
  const names = new Set([...type.key, ...(good.length === 0 ? type.properties.keys() : good)]);
  return [...names].slice(0, columnsAtStart);
}
