import type { EntitySet, PrimitiveType, Row, StructuralProperty } from "../../src/index.ts";

const property = (
  name: string,
  type: PrimitiveType,
  more: Partial<StructuralProperty> = {},
): StructuralProperty => ({
  name,
  type,
  collection: false,
  nullable: true,
  ...more,
});

const lookup = (name: string) => ({ annotations: [{ term: "RESO.OData.Metadata.LookupName", value: name }] });

const properties = [
  property("ListingKey", "Edm.String", { nullable: false }),
  property("City", "Edm.String"),
  property("StandardStatus", "Edm.String", lookup("StandardStatus")),
  property("ListPrice", "Edm.Decimal", { precision: 14, scale: 2 }),
  property("LivingArea", "Edm.Decimal", { precision: 14, scale: 4 }),
  property("Score", "Edm.Double"),
  property("BedroomsTotal", "Edm.Int64"),
  property("WaterfrontYN", "Edm.Boolean"),
  property("CloseDate", "Edm.Date"),
  property("ModificationTimestamp", "Edm.DateTimeOffset", { nullable: false, precision: 3 }),
  // Names that the databases' own JSON functions use for their columns.
  property("type", "Edm.String"),
  property("key", "Edm.String"),
  property("Appliances", "Edm.String", { collection: true, nullable: false, ...lookup("Appliances") }),
];

/** A small Property with one property of every type that a listing has. */
export const listing: EntitySet = {
  name: "Property",
  type: { name: "Property", key: ["ListingKey"], properties: new Map(properties.map((p) => [p.name, p])) },
};

const at = (second: number) => `2024-01-15T08:30:${String(second).padStart(2, "0")}.123Z`;

/** Rows with nulls, empty text, quotes, wildcards, astral characters and numbers that doubles get wrong. */
export const rows: readonly Row[] = [
  { ListingKey: "a", City: "York", Score: 0, ListPrice: 100, BedroomsTotal: 3, ModificationTimestamp: at(1) },
  { ListingKey: "b", City: "New York", ListPrice: 250.5, LivingArea: 250.5, ModificationTimestamp: at(1) },
  { ListingKey: "c", City: "O'Fallon", Score: 0.1, WaterfrontYN: true, ModificationTimestamp: at(2) },
  { ListingKey: "d", ListPrice: 900_000, CloseDate: "2024-02-29", ModificationTimestamp: at(3) },
  { ListingKey: "e", City: "", ListPrice: 0, BedroomsTotal: 0, ModificationTimestamp: at(3) },
  { ListingKey: "f", City: "100%", ListPrice: 0.07, WaterfrontYN: false, ModificationTimestamp: at(4) },
  {
    ListingKey: "g",
    City: "😀rk",
    Appliances: ["Oven", "Dishwasher"],
    type: "Oven",
    ModificationTimestamp: at(5),
  },
  {
    ListingKey: "h",
    City: "\uffee",
    Appliances: ["Oven", null],
    key: "text",
    Score: -1e300,
    ModificationTimestamp: at(5),
  },
  {
    ListingKey: "i",
    City: "a_b",
    StandardStatus: "Active",
    CloseDate: "2023-12-31",
    ModificationTimestamp: at(6),
  },
  {
    ListingKey: "j",
    City: "a'b",
    StandardStatus: "Closed",
    LivingArea: 900_000,
    ModificationTimestamp: at(7),
  },
];
