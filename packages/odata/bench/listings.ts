import type {
  EntitySet,
  EnumType,
  PrimitiveType,
  StructuralProperty,
  StructuredProperty,
  StructuredType,
} from "../src/model/types.ts";

const enumType = (name: string, members: readonly string[], isFlags: boolean): EnumType => ({
  name: `org.reso.metadata.enums.${name}`,
  members,
  isFlags,
});

export const enumTypes = {
  AccessibilityFeatures: enumType(
    "AccessibilityFeatures",
    ["AccessibleApproachWithRamp", "AccessibleBedroom", "AccessibleDoors", "AccessibleEntrance"],
    true,
  ),
  StandardStatus: enumType("StandardStatus", ["Active", "Canceled", "Closed", "Expired", "Pending"], false),
} as const;

type Fields = Readonly<Record<string, PrimitiveType>>;

function properties(fields: Fields): Map<string, StructuralProperty> {
  const entries = Object.entries(fields).map(
    ([name, type]) => [name, { name, type, collection: false, nullable: true }] as const,
  );
  return new Map(entries);
}

const related = (name: string, collection: boolean, fields: Fields): StructuredProperty => {
  const type: StructuredType = { name, properties: properties(fields) };
  return { name, target: () => type, collection };
};

const scalars = properties({
  ListingKey: "Edm.String",
  ModificationTimestamp: "Edm.DateTimeOffset",
  PropertyType: "Edm.String",
  ListPrice: "Edm.Decimal",
  ClosePrice: "Edm.Decimal",
  CloseDate: "Edm.Date",
  TaxAnnualAmount: "Edm.Decimal",
  AssociationFee: "Edm.Decimal",
  LivingArea: "Edm.Decimal",
  BedroomsTotal: "Edm.Int64",
  BathroomsTotalInteger: "Edm.Int64",
  YearBuilt: "Edm.Int64",
  PhotosCount: "Edm.Int64",
  City: "Edm.String",
  PostalCode: "Edm.String",
  UnparsedAddress: "Edm.String",
  PublicRemarks: "Edm.String",
  ...Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`Field${i}`, "Edm.Int64"] as const)),
});

const others: readonly StructuralProperty[] = [
  { name: "Appliances", type: "Edm.String", collection: true, nullable: false },
  { name: "Coordinates", type: "Edm.GeographyPoint", collection: false, nullable: true, srid: 4326 },
  ...Object.entries(enumTypes).map(
    ([name, type]) =>
      ({ name, type: "Edm.String", collection: false, nullable: true, enumType: type }) as const,
  ),
];

const structured: readonly StructuredProperty[] = [
  related("Rooms", true, { RoomType: "Edm.String", RoomLength: "Edm.Decimal" }),
  related("OpenHouse", true, { OpenHouseDate: "Edm.Date", OpenHouseStatus: "Edm.String" }),
  related("Media", true, { MediaCategory: "Edm.String" }),
  related("ListOffice", false, { OfficeName: "Edm.String" }),
  related("ListAgent", false, { MemberFullName: "Edm.String" }),
];

/** Listings with what the filters of the corpus name. */
export const listings: EntitySet = {
  name: "Property",
  type: {
    name: "Property",
    key: ["ListingKey"],
    properties: new Map([...scalars, ...others.map((property) => [property.name, property] as const)]),
    structured: new Map(structured.map((property) => [property.name, property])),
  },
};
