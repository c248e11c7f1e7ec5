// An office's own table, what OData shows of it, and where each property lies.
import {
  type EntityModel,
  type EntitySet,
  identifier,
  type Mapping,
  type PrimitiveType,
  type SqlFragment,
  sql,
} from "@cadastre/odata";

export const tables = `
  create table listing (
    id text primary key,
    town text,
    asking_price integer,
    appliances text not null, -- a JSON array
    details text not null, -- a JSON object
    changed_at text not null -- in UTC, with milliseconds
  );
  create index listing_by_town on listing (town, asking_price);
  insert into listing values
    ('L1', 'Austin', 525000, '["Dishwasher","Oven"]', '{"view":"Hills"}', '2026-03-01T08:30:00.000Z'),
    ('L2', 'Austin', 1199000, '["Oven","Wine Cooler"]', '{"view":"Lake"}', '2026-03-02T09:00:00.000Z'),
    ('L3', 'O''Fallon', 349900, '[]', '{}', '2026-03-03T17:45:00.250Z'),
    ('L4', null, null, '["Wine Cooler"]', '{"view":"Lake"}', '2026-03-04T11:15:00.000Z'),
    ('L5', 'Austin', 410000, '[]', '{"view":null}', '2026-03-05T12:00:00.000Z');
`;

const property = (name: string, type: PrimitiveType, nullable: boolean) => ({
  name,
  type,
  nullable,
  collection: false,
});
const properties = [
  property("ListingKey", "Edm.String", false),
  property("City", "Edm.String", true),
  property("ListPrice", "Edm.Int32", true),
  { ...property("Appliances", "Edm.String", false), collection: true },
  property("View", "Edm.String", true),
  property("ModificationTimestamp", "Edm.DateTimeOffset", false),
];

export const listings: EntitySet = {
  name: "Property",
  type: {
    name: "Property",
    key: ["ListingKey"],
    properties: new Map(properties.map((one) => [one.name, one])),
  },
};
export const model: EntityModel = { namespace: "Office", container: "Default", entitySets: [listings] };

const columns: Readonly<Record<string, SqlFragment>> = {
  ListingKey: sql`id`,
  City: sql`town`,
  ListPrice: sql`asking_price`,
  Appliances: sql`appliances`,
  View: sql`details ->> 'view'`,
  ModificationTimestamp: sql`changed_at`,
};
export const mapping: Mapping = {
  from: sql`listing`,
  column: ({ name }) => ({ sql: columns[name] ?? identifier(name) }),
};
