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

const views = { name: "Demo.Views", members: ["Lake", "Mountain", "City"], isFlags: true };

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
  property("Appliances", "Edm.String", { collection: true, nullable: false, ...lookup("Appliances") }),
  property("Stories", "Edm.Byte"),
  property("Ratio", "Edm.Single"),
  property("OpenTime", "Edm.TimeOfDay"),
  property("Stay", "Edm.Duration"),
  property("Id", "Edm.Guid"),
  property("View", "Edm.String", { enumType: views }),
  property("Photo", "Edm.Binary"),
  property("Place", "Edm.GeographyPoint"),
  property("Sizes", "Edm.Decimal", { collection: true, nullable: false }),
  property("Counts", "Edm.Int64", { collection: true, nullable: false }),
  property("Visits", "Edm.DateTimeOffset", { collection: true, nullable: false }),
  // The databases' own JSON functions use these names for their columns.
  property("type", "Edm.String"),
  property("key", "Edm.String"),
];

/** A small Property resource with one property of every type that listings use. */
export const listing: EntitySet = {
  name: "Property",
  type: { name: "Property", key: ["ListingKey"], properties: new Map(properties.map((p) => [p.name, p])) },
};

const at = (second: number) => `2024-01-15T08:30:${String(second).padStart(2, "0")}.123Z`;

/** Rows with nulls, empty text, quotes, wildcards, astral characters, and numbers that doubles cannot represent. */
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
  {
    ListingKey: "k",
    City: " '' \\ \" -- %_ \n",
    StandardStatus: "12",
    ListPrice: 999_999_999_999.99,
    LivingArea: 0.0001,
    Score: 1.7976931348623157e308,
    BedroomsTotal: "9223372036854775807",
    CloseDate: "9999-12-31",
    ModificationTimestamp: "9999-12-31T23:59:59.999Z",
    Stories: 255,
    Ratio: 0.1,
    OpenTime: "23:59:59.999999",
    Stay: "P99999999DT0.000000000001S",
    Id: "ffffffff-ffff-ffff-ffff-ffffffffffff",
    View: "Lake,City",
    Photo: "_-8",
    Place: { type: "Point", coordinates: [180, 90] },
    Sizes: [0.1, null, 1e21, -3],
    Counts: ["9223372036854775807", null, -1],
    Visits: ["9999-12-31T23:59:59.999Z", null],
  },
  {
    ListingKey: "l",
    City: "1e400",
    StandardStatus: "2024-02-30",
    ListPrice: -999_999_999_999.99,
    LivingArea: -12.5,
    Score: 5e-324,
    BedroomsTotal: "-9223372036854775808",
    CloseDate: "0001-01-01",
    ModificationTimestamp: "0001-01-01T00:00:00.000Z",
    Stories: 0,
    Ratio: -3.4028234663852886e38,
    OpenTime: "00:00:00",
    Stay: "-PT36H",
    Id: "00000000-0000-0000-0000-000000000000",
    View: "City",
    Photo: "",
    Place: { type: "Point", coordinates: [-97.74, 30.27] },
    Sizes: [],
    Counts: [1, 2, 3],
    Visits: ["0001-01-01T00:00:00.000Z", "2024-02-29T12:00:00.000Z"],
  },
  {
    ListingKey: "m",
    City: "2024-02-29T12:00:00.5+14:00",
    StandardStatus: "PT1H",
    Score: 1e23,
    BedroomsTotal: -1,
    ModificationTimestamp: "2024-02-29T12:00:00.500Z",
    Stories: 3,
    Ratio: 1.5,
    OpenTime: "08:30:00.5",
    Stay: "PT0.0000001S",
    View: "",
    Counts: [2, 2],
  },
];
