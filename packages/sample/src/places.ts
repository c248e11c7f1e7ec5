import { readFileSync } from "node:fs";
import { type Metro, metros } from "./metros.ts";
import { hashText, type Random, unit } from "./random.ts";

/** A ZIP code with a disc around its point that lies within its county. Source: `data/README.md`. */
export type Place = {
  readonly zip: string;
  readonly city: string;
  readonly county: string;
  readonly state: string;
  /** FIPS code of state and county, five digits. */
  readonly fips: string;
  readonly latitude: number;
  readonly longitude: number;
  /** Radius of the disc, in kilometres. */
  readonly radius: number;
  /** Price level relative to the metro's average. */
  readonly priceLevel: number;
};

type PlaceRow = readonly [string, string, string, string, string, number, number, number];

const rows = JSON.parse(
  readFileSync(new URL("../data/places.json", import.meta.url), "utf8"),
) as readonly PlaceRow[];

/** All places, by county. */
export const places: readonly Place[] = rows.map(
  ([zip, city, county, state, fips, latitude, longitude, radius]) => ({
    zip,
    city,
    county,
    state,
    fips,
    latitude,
    longitude,
    radius,
    priceLevel: 0.7 + 0.75 * unit(hashText(zip)),
  }),
);

const byMetro: ReadonlyMap<Metro, readonly Place[]> = new Map(
  metros.map((metro) => [
    metro,
    places.filter(({ state, county }) => state === metro.state && metro.counties.includes(county)),
  ]),
);

/** Returns the places of a metro. */
export function placesOf(metro: Metro): readonly Place[] {
  const found = byMetro.get(metro);
  if (found === undefined || found.length === 0) throw new RangeError(`no place in \`${metro.name}\``);
  return found;
}

/** Kilometres per degree of latitude, and per degree of longitude at the equator. */
const kmPerDegree = 111.2;

const round6 = (n: number): number => Math.round(n * 1e6) / 1e6;

/** Draws a point within the disc of `place`, with six decimals (0.1 m). */
export function pointIn(
  place: Place,
  random: Random,
): { readonly latitude: number; readonly longitude: number } {
  const distance = place.radius * 0.98 * Math.sqrt(random.unit());
  const angle = 2 * Math.PI * random.unit();
  const perLongitude = kmPerDegree * Math.cos((place.latitude * Math.PI) / 180);
  return {
    latitude: round6(place.latitude + (distance * Math.sin(angle)) / kmPerDegree),
    longitude: round6(place.longitude + (distance * Math.cos(angle)) / perLongitude),
  };
}
