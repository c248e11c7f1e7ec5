// An office's own tables, and what OData shows of them.
import { collection, entitySet, instant, integer, many, sql, text } from "@cadastre/server/model";

export const tables = `
  create table listing (
    id text primary key,
    town text,
    asking_price integer,
    appliances jsonb not null,
    details jsonb not null,
    changed_at timestamptz not null
  );
  create index listing_by_town on listing (town, asking_price);
  create index listing_by_change on listing (changed_at, id collate "C");
  insert into listing values
    ('L1', 'Austin', 525000, '["Dishwasher","Oven"]', '{"view":"Hills"}', '2026-03-01T08:30:00.000Z'),
    ('L2', 'Austin', 1199000, '["Oven","Wine Cooler"]', '{"view":"Lake"}', '2026-03-02T09:00:00.000Z'),
    ('L3', 'O''Fallon', 349900, '[]', '{}', '2026-03-03T17:45:00.250Z'),
    ('L4', null, null, '["Wine Cooler"]', '{"view":"Lake"}', '2026-03-04T11:15:00.000Z'),
    ('L5', 'Austin', 410000, '[]', '{"view":null}', '2026-03-05T12:00:00.000Z');
  create table photo (listing text references listing, place integer, url text not null, primary key (listing, place));
  create index photo_by_key on photo (listing collate "C", place);
  insert into photo values
    ('L1', 1, 'https://photos.example/L1-1.jpg'),
    ('L1', 2, 'https://photos.example/L1-2.jpg'),
    ('L3', 1, 'https://photos.example/L3-1.jpg');
`;

export const Property = entitySet("Property", {
  table: "listing",
  key: { ListingKey: text().column("id") },
  properties: {
    City: text().column("town").nullable(),
    ListPrice: integer().column("asking_price").nullable(),
    Appliances: collection(text()).column("appliances"),
    View: text().column(sql`details ->> 'view'`).nullable(),
    ModificationTimestamp: instant().column("changed_at"),
  },
  navigation: { Photos: many("Photo", { ListingKey: "ListingKey" }) },
  orderBy: ["ModificationTimestamp"],
});

export const Photo = entitySet("Photo", {
  table: "photo",
  key: { ListingKey: text().column("listing"), Order: integer().column("place") },
  properties: { MediaURL: text().column("url") },
});
