import type { EntitySet, PrimitiveType, Row, StructuralProperty } from "../../src/index.ts";
import type { StructuredProperty, StructuredType } from "../../src/run/index.ts";

const property = (
  name: string,
  type: PrimitiveType,
  facets: Partial<StructuralProperty> = {},
): StructuralProperty => ({
  name,
  type,
  collection: false,
  nullable: true,
  ...facets,
});

const list = (name: string, type: PrimitiveType) =>
  property(name, type, { collection: true, nullable: false });

const structure = (name: string, properties: readonly StructuralProperty[]): StructuredType => ({
  name,
  properties: new Map(properties.map((p) => [p.name, p])),
});

const office = structure("Office", [
  property("OfficeName", "Edm.String"),
  property("OfficeCity", "Edm.String"),
]);
const room = structure("Room", [
  property("RoomType", "Edm.String"),
  property("RoomLength", "Edm.Decimal"),
  list("Features", "Edm.String"),
]);

const style = { name: "Demo.Style", members: ["Ranch", "Colonial", "Modern"], isFlags: false };
const views = { name: "Demo.Views", members: ["Lake", "Mountain", "City"], isFlags: true };

const structured: readonly StructuredProperty[] = [
  { name: "ListOffice", target: () => office, collection: false },
  { name: "Rooms", target: () => room, collection: true },
];

/** An entity set with everything that expressions can refer to: paths, enumerations, and every scalar type. */
export const houses: EntitySet = {
  name: "Houses",
  type: {
    ...structure("House", [
      property("Key", "Edm.String", { nullable: false }),
      property("Small", "Edm.Byte"),
      property("Count", "Edm.Int64"),
      property("Price", "Edm.Decimal"),
      property("Score", "Edm.Double"),
      property("Name", "Edm.String"),
      property("Open", "Edm.Boolean"),
      property("Built", "Edm.Date"),
      property("Changed", "Edm.DateTimeOffset"),
      property("Opens", "Edm.TimeOfDay"),
      property("Stay", "Edm.Duration"),
      property("Id", "Edm.Guid"),
      property("Style", "Edm.String", { enumType: style }),
      property("Views", "Edm.String", { enumType: views }),
      property("Place", "Edm.GeographyPoint"),
      list("Tags", "Edm.String"),
      list("Sizes", "Edm.Int64"),
    ]),
    key: ["Key"],
    structured: new Map(structured.map((p) => [p.name, p])),
  },
};

/** A house with a value for every property but `Name`. */
export const house: Row = {
  Key: "k1",
  Small: 200,
  Count: "9007199254740993",
  Price: "350000.10",
  Score: 0.5,
  Open: true,
  Built: "2024-02-29",
  Changed: "2024-02-29T22:30:15.250Z",
  Opens: "08:30:00",
  Stay: "PT36H",
  Id: "0F0E0D0C-0B0A-0908-0706-050403020100",
  Style: "Ranch",
  Views: "City,Lake",
  Place: { type: "Point", coordinates: [-97.74, 30.27] },
  Tags: ["a", "b"],
  Sizes: [1, 2, 3],
  ListOffice: { OfficeName: "O'Neil Realty", OfficeCity: null },
  Rooms: [
    { RoomType: "Bedroom", RoomLength: 12.5, Features: ["Fan"] },
    { RoomType: "Bedroom", RoomLength: 9, Features: [] },
    { RoomType: "Kitchen", RoomLength: null, Features: ["Island", "Fan"] },
  ],
};
