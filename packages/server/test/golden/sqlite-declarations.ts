// Made of a database. Give properties the names that clients are to see; their columns stay named by `.column(…)`.
import { bigInteger, boolean, date, decimal, double, entitySet, instant, integer, many, one, text } from "@cadastre/server/model";

// Left out: the table `log`, because it has no primary key.
export const listing = entitySet("listing", {
  table: "listing",
  key: {
    key: text(20),
  },
  properties: {
    office: integer().nullable(),
    price: decimal(14, 2, "double").nullable(),
    area: double().nullable(),
    sold: boolean().nullable(),
    views: bigInteger(),
    changed: instant("seconds"),
  },
  navigation: {
    office_2: one("office", { office: "id" }),
    photo: many("photo", { key: "listing" }),
  },
});

export const office = entitySet("office", {
  table: "office",
  key: {
    id: integer(),
  },
  properties: {
    office_name: text(80).column("office name"),
    opened: date().nullable(),
  },
  navigation: {
    listing: many("listing", { id: "office" }),
  },
});

export const photo = entitySet("photo", {
  table: "photo",
  key: {
    listing: text(20),
    place: integer(),
  },
  properties: {
    url: text().nullable(),
  },
  navigation: {
    listing_2: one("listing", { listing: "key" }),
  },
});

export const entitySets = [listing, office, photo] as const;
