import type { EntitySet, PrimitiveType, StructuralProperty } from "@cadastre/odata";

type Facets = Partial<Omit<StructuralProperty, "name" | "type">> & { readonly lookup?: string };

export function property(
  name: string,
  type: PrimitiveType = "Edm.String",
  { lookup, ...facets }: Facets = {},
) {
  const annotations = lookup === undefined ? [] : [{ term: "RESO.OData.Metadata.LookupName", value: lookup }];
  return { name, type, collection: false, nullable: true, annotations, ...facets };
}

export function entitySet(name: string, key: string, properties: readonly StructuralProperty[]): EntitySet {
  const all = [
    property(key),
    property("ModificationTimestamp"),
    property("OriginatingSystemName"),
    ...properties,
  ];
  return { name, type: { name, key: [key], properties: new Map(all.map((p) => [p.name, p])) } };
}

export const propertySet = entitySet("Property", "ListingKey", [
  property("StateOrProvince", "Edm.String", { lookup: "StateOrProvince" }),
  property("CountyOrParish"),
  property("PostalCode"),
  property("City"),
  property("ListPrice", "Edm.Int64"),
  property("StandardStatus", "Edm.String", { lookup: "StandardStatus" }),
  property("Appliances", "Edm.String", { collection: true, lookup: "Appliances" }),
  property("Latitude", "Edm.Double"),
  property("Longitude", "Edm.Double"),
  property("Coordinates", "Edm.GeographyPoint", { derivedFrom: ["Latitude", "Longitude"] }),
  property("GeoHash", "Edm.String", { derivedFrom: ["Latitude", "Longitude"] }),
  property("GeoHashPrefix", "Edm.String", { derivedFrom: ["GeoHash"] }),
  property("AddressLine", "Edm.String", { reveals: ["City", "PostalCode"] }),
  property("Label", "Edm.String", { reveals: ["AddressLine"] }),
  property("Remarks", "Edm.String", { mayReveal: ["City", "AddressLine"] }),
]);
export const mediaSet = entitySet("Media", "MediaKey", [
  property("MediaURL"),
  property("Caption", "Edm.String", { mayReveal: ["Property/City"] }),
  property("ResourceRecordKey"),
  property("Permission", "Edm.String", { collection: true, lookup: "Permission" }),
]);
const openHouseSet = entitySet("OpenHouse", "OpenHouseKey", [property("ListingKey")]);
export const memberSet = entitySet("Member", "MemberKey", [
  property("MemberFullName"),
  property("MemberEmail"),
  property("MemberType", "Edm.String", { lookup: "MemberType" }),
]);
const officeSet = entitySet("Office", "OfficeKey", [property("OfficeName")]);
export const lookupSet = entitySet("Lookup", "LookupKey", [property("LookupName"), property("LookupValue")]);
/** A resource without a rule. */
export const teamsSet = entitySet("Teams", "TeamKey", [
  property("TeamName"),
  property("TeamStatus", "Edm.String", { lookup: "TeamStatus" }),
]);

export const entitySets = [propertySet, mediaSet, openHouseSet, memberSet, officeSet, lookupSet, teamsSet];
