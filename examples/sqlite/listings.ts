// An office's own table, and what OData shows of it.
import { collection, entitySet, instant, integer, sql, text } from "@cadastre/server/model";

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
  create index listing_by_change on listing (changed_at, id);
  insert into listing values
    ('L1', 'Austin', 525000, '["Dishwasher","Oven"]', '{"view":"Hills"}', '2026-03-01T08:30:00.000Z'),
    ('L2', 'Austin', 1199000, '["Oven","Wine Cooler"]', '{"view":"Lake"}', '2026-03-02T09:00:00.000Z'),
    ('L3', 'O''Fallon', 349900, '[]', '{}', '2026-03-03T17:45:00.250Z'),
    ('L4', null, null, '["Wine Cooler"]', '{"view":"Lake"}', '2026-03-04T11:15:00.000Z'),
    ('L5', 'Austin', 410000, '[]', '{"view":null}', '2026-03-05T12:00:00.000Z');
`;

export const Property = entitySet("Property", {
  table: "listing",
  key: { ListingKey: text().column("id") },
  properties: {
    City: text().column("town").nullable(),
    ListPrice: integer().column("asking_price").nullable(),
    Appliances: collection(text()).column("appliances"),
    View: text().column(sql`details ->> 'view'`).nullable(),
    ModificationTimestamp: instant("iso-text").column("changed_at"),
  },
  orderBy: ["ModificationTimestamp"],
});
