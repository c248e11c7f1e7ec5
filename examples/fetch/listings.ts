// Listings in memory, and what OData shows of them.
import { collection, type EntityOf, entitySet, instant, integer, text } from "@cadastre/server/model";

export const Property = entitySet("Property", {
  key: { ListingKey: text() },
  properties: {
    City: text().nullable(),
    ListPrice: integer().nullable(),
    Appliances: collection(text()),
    View: text().nullable(),
    ModificationTimestamp: instant(),
  },
  orderBy: ["ModificationTimestamp"],
});

export const listings: EntityOf<typeof Property>[] = [
  {
    ListingKey: "L1",
    City: "Austin",
    ListPrice: 525_000,
    Appliances: ["Dishwasher", "Oven"],
    View: "Hills",
    ModificationTimestamp: "2026-03-01T08:30:00Z",
  },
  {
    ListingKey: "L2",
    City: "Austin",
    ListPrice: 1_199_000,
    Appliances: ["Oven", "Wine Cooler"],
    View: "Lake",
    ModificationTimestamp: "2026-03-02T09:00:00Z",
  },
  {
    ListingKey: "L3",
    City: "O'Fallon",
    ListPrice: 349_900,
    Appliances: [],
    View: null,
    ModificationTimestamp: "2026-03-03T17:45:00.250Z",
  },
  {
    ListingKey: "L4",
    City: null,
    ListPrice: null,
    Appliances: ["Wine Cooler"],
    View: "Lake",
    ModificationTimestamp: "2026-03-04T11:15:00Z",
  },
  {
    ListingKey: "L5",
    City: "Austin",
    ListPrice: 410_000,
    Appliances: [],
    View: null,
    ModificationTimestamp: "2026-03-05T12:00:00Z",
  },
];
