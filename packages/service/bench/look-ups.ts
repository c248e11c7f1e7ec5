import type { Listing } from "./listing.ts";
import {
  byKey,
  cityAndPrice,
  collection,
  count,
  keyAt,
  options,
  page,
  type Query,
  search,
  someListing,
  text,
  walk,
} from "./queries.ts";

/** Query that only the service can answer, and not the floors. */
export type LookUp = Omit<Query, "floor">;

const found = (filter: string, rest: Readonly<Record<string, string>> = {}) =>
  collection + options({ $filter: filter, $top: "20", ...rest });

const by = (name: string, filter: (listing: Listing) => string): LookUp => ({
  name,
  service: (turn, listings) => found(filter(someListing(turn, listings))),
});

/** Returns a radius in metres that contains about thirty listings whatever the size of the set: 5 km for 10,000 listings. */
const distanceAmong = (listings: number): number => Math.round(5000 * Math.sqrt(10_000 / listings));

/** Typical lookups. Source: interface specification, section 4.1. */
export const lookUps: readonly LookUp[] = [
  byKey,
  search,
  page,
  count,
  walk,
  by(
    "system and ListingId",
    ({ OriginatingSystemName, ListingId }) =>
      `OriginatingSystemName eq ${text(OriginatingSystemName)} and ListingId eq ${text(ListingId)}`,
  ),
  by(
    "UniversalPropertyId",
    ({ UniversalPropertyId }) => `UniversalPropertyId eq ${text(UniversalPropertyId)}`,
  ),
  by("Placekey", ({ Placekey }) => `Placekey eq ${text(Placekey)}`),
  {
    name: "keys, list of 20",
    service: (turn, listings) => {
      const keys = Array.from({ length: 20 }, (_, i) => text(keyAt(20 * turn + i, listings)));
      return found(`ListingKey in (${keys.join(",")})`);
    },
  },
  {
    name: "changes since, 100",
    service: (turn, listings) =>
      found(`ModificationTimestamp gt ${String(someListing(turn, listings)["ModificationTimestamp"])}`, {
        $orderby: "ModificationTimestamp",
        $top: "100",
      }),
  },
  cityAndPrice,
  {
    name: "within a distance, nearest 20",
    service: (turn, listings) => {
      const { Longitude, Latitude } = someListing(turn, listings);
      const point = `geography'SRID=4326;POINT(${String(Longitude)} ${String(Latitude)})'`;
      const distance = `geo.distance(Coordinates,${point})`;
      return found(`${distance} le ${distanceAmong(listings)}`, { $orderby: distance });
    },
  },
];
