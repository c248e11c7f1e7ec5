import type { EntitySet, EntityType, PrimitiveType, Row, StructuralProperty } from "../../src/index.ts";
import type { StructuredProperty, StructuredType } from "../../src/run/index.ts";

/*
 * Houses and their related rows. All tables have columns of the same names (`Key`, `Name`, `Parent`, …), so that
 * tests detect a column read from the wrong row.
 */

const property = (
  name: string,
  type: PrimitiveType,
  more: Partial<StructuralProperty> = {},
): StructuralProperty => ({ name, type, collection: false, nullable: true, ...more });

const one = (name: string, target: () => StructuredType): StructuredProperty => ({
  name,
  target,
  collection: false,
});
const many = (name: string, target: () => StructuredType): StructuredProperty => ({
  ...one(name, target),
  collection: true,
});

const byName = <T extends { readonly name: string }>(all: readonly T[]): ReadonlyMap<string, T> =>
  new Map(all.map((item) => [item.name, item]));

const entity = (
  name: string,
  properties: readonly StructuralProperty[],
  structured: readonly StructuredProperty[] = [],
): EntityType => ({
  name,
  key: ["Key"],
  properties: byName([
    property("Key", "Edm.Int64", { nullable: false }),
    property("Name", "Edm.String"),
    ...properties,
  ]),
  structured: byName(structured),
});

const items = (name: string, type: PrimitiveType): StructuralProperty =>
  property(name, type, { collection: true, nullable: false });

const address: StructuredType = {
  name: "Address",
  properties: byName([property("City", "Edm.String"), property("Number", "Edm.Int64")]),
  structured: byName([one("Agent", () => agent)]),
};

/** A complex value that contains others. */
const detail: StructuredType = {
  name: "Detail",
  properties: byName([
    property("Name", "Edm.String"),
    property("Area", "Edm.Int64"),
    property("Fee", "Edm.Decimal"),
    property("Built", "Edm.Date"),
    items("Tags", "Edm.String"),
  ]),
  structured: byName([one("Inner", () => detail), many("Parts", () => detail)]),
};

const agent: EntityType = entity(
  "Agent",
  [property("Age", "Edm.Int64"), items("Tags", "Edm.String")],
  [one("Office", () => office)],
);

const office: EntityType = entity(
  "Office",
  [property("Fee", "Edm.Decimal", { precision: 10, scale: 2 }), items("Tags", "Edm.String")],
  [one("Broker", () => agent), many("Agents", () => agent), many("Houses", () => house)],
);

const room: EntityType = entity(
  "Room",
  [property("Area", "Edm.Int64"), items("Tags", "Edm.String")],
  [one("House", () => house), one("Address", () => address)],
);

const house: EntityType = entity(
  "House",
  [
    property("Area", "Edm.Int64"),
    property("Fee", "Edm.Decimal", { precision: 10, scale: 2 }),
    property("Built", "Edm.Date"),
    items("Tags", "Edm.String"),
    items("Sizes", "Edm.Int64"),
  ],
  [
    one("Office", () => office),
    one("Parent", () => house),
    many("Children", () => house),
    many("Rooms", () => room),
    one("Address", () => address),
    one("Detail", () => detail),
    many("Parts", () => detail),
  ],
);

/** Houses, with their rooms, offices, agents and parent houses. */
export const houses: EntitySet = { name: "Houses", type: house };

type Entity = Record<string, unknown>;

/** Rows of the tables, by the name of the type. References are keys; `Tags`, `Sizes` and `Parts` are arrays. */
export type Estate = Readonly<Record<"House" | "Office" | "Agent" | "Room", readonly Row[]>>;

/**
 * Returns the houses in memory form, with an object or array at the end of every path. Some references are cyclic.
 */
export function linked(estate: Estate): readonly Row[] {
  const copies = Object.fromEntries(
    Object.entries(estate).map(([name, rows]) => [name, rows.map((row): Entity => ({ ...row }))]),
  );
  const of = (name: string): readonly Entity[] => copies[name] ?? [];
  const find = (name: string, key: unknown): Entity | null =>
    key === null ? null : (of(name).find((row) => row["Key"] === key) ?? null);
  const withKey = (name: string, column: string, key: unknown) =>
    of(name).filter((row) => row[column] === key);
  const addressOf = (row: Entity) => ({
    City: row["AddressCity"] ?? null,
    Number: row["AddressNumber"] ?? null,
    Agent: find("Agent", row["AddressAgent"] ?? null),
  });
  for (const row of of("Agent")) row["Office"] = find("Office", row["OfficeKey"]);
  for (const row of of("Room")) {
    row["House"] = find("House", row["Parent"]);
    row["Address"] = addressOf(row);
  }
  for (const row of of("Office")) {
    row["Broker"] = find("Agent", row["BrokerKey"]);
    row["Agents"] = withKey("Agent", "OfficeKey", row["Key"]);
    row["Houses"] = withKey("House", "OfficeKey", row["Key"]);
  }
  for (const row of of("House")) {
    row["Office"] = find("Office", row["OfficeKey"]);
    row["Parent"] = find("House", row["ParentKey"]);
    row["Children"] = withKey("House", "ParentKey", row["Key"]);
    row["Rooms"] = withKey("Room", "Parent", row["Key"]);
    row["Address"] = row["AddressKind"] === null ? null : addressOf(row);
  }
  return of("House");
}
