import { addressIn, type SampleAddress } from "./address.ts";
import { type Metro, metros } from "./metros.ts";
import { whatPart, wherePart } from "./placekey.ts";
import { type Place, placesOf, pointIn } from "./places.ts";
import { combine, Random } from "./random.ts";

/** Type of a property. */
export type PropertyKind =
  | "house"
  | "townhouse"
  | "condominium"
  | "plex"
  | "manufactured"
  | "land"
  | "farm"
  | "commercial"
  | "business";

/** A piece of real estate, independent of its listings. */
export type Property = {
  readonly seed: number;
  readonly metro: Metro;
  readonly place: Place;
  readonly kind: PropertyKind;
  readonly address: SampleAddress;
  readonly latitude: number;
  readonly longitude: number;
  /** Placekey; undefined if the source could not resolve the address. */
  readonly placekey: string | undefined;
  readonly parcelNumber: string;
  readonly bedrooms: number;
  readonly bathroomsFull: number;
  readonly bathroomsHalf: number;
  /** Area of the building in square feet; 0 for land. */
  readonly area: number;
  readonly acres: number;
  readonly stories: number;
  readonly yearBuilt: number;
  readonly garageSpaces: number;
  readonly units: number;
  readonly pool: boolean;
  readonly waterfront: boolean;
  /** Value in US dollars, if sold at the reference time of the sample. */
  readonly value: number;
};

type KindFacts = {
  readonly kind: PropertyKind;
  readonly weight: number;
  /** Smallest and largest usual area of the building, in square feet. */
  readonly area: readonly [number, number];
  /** Smallest and largest usual lot, in acres. */
  readonly acres: readonly [number, number];
  /** Price per square foot, relative to a house. */
  readonly price: number;
};

const kinds: readonly KindFacts[] = [
  { kind: "house", weight: 52, area: [850, 5200], acres: [0.08, 1.6], price: 1 },
  { kind: "townhouse", weight: 8, area: [900, 2600], acres: [0.02, 0.1], price: 0.98 },
  { kind: "condominium", weight: 15, area: [450, 2400], acres: [0.01, 0.05], price: 1.12 },
  { kind: "plex", weight: 4, area: [1600, 5200], acres: [0.1, 0.5], price: 0.85 },
  { kind: "manufactured", weight: 3, area: [600, 2000], acres: [0.05, 2], price: 0.45 },
  { kind: "land", weight: 10, area: [0, 0], acres: [0.12, 60], price: 0 },
  { kind: "farm", weight: 2, area: [900, 4200], acres: [12, 400], price: 0.9 },
  { kind: "commercial", weight: 5, area: [900, 42000], acres: [0.1, 8], price: 0.8 },
  { kind: "business", weight: 1, area: [600, 9000], acres: [0.05, 2], price: 0.5 },
];

/** Kinds with several units in one building. */
const inUnits: ReadonlySet<PropertyKind> = new Set(["condominium", "commercial", "business"]);

/** Draws a size between two bounds. Small ones are more frequent. */
function size([low, high]: readonly [number, number], random: Random): number {
  const u = random.unit();
  return low + (high - low) * u * (0.35 + 0.65 * random.unit() * u);
}

/** Returns the value of the bare ground in US dollars: the first acre costs most. */
const landValue = (acres: number, pricePerSquareFoot: number): number =>
  pricePerSquareFoot * 420 * acres ** 0.55;

const round = (n: number, step: number): number => Math.max(step, Math.round(n / step) * step);

/** Fraction of properties whose address no source can resolve. */
const unresolvedPart = 0.04;

const random = new Random();

/** Generates the property with a given seed. */
export function propertyOf(seed: number): Property {
  random.seed(seed);
  const metro = random.weighted(metros);
  const place = random.pick(placesOf(metro));
  const { kind, area: areaBounds, acres: acreBounds, price } = random.weighted(kinds);
  const point = pointIn(place, random);
  const address = addressIn(place, inUnits.has(kind), random);
  const area = Math.round(size(areaBounds, random) / 2) * 2;
  const acres = Math.round(size(acreBounds, random) * 1e4) / 1e4;
  const yearBuilt = Math.min(2026, 2026 - Math.floor(96 * random.unit() * random.unit()));
  const level = metro.pricePerSquareFoot * place.priceLevel;
  const waterfront = random.chance(0.06);
  const age = 1 - 0.0022 * (2026 - yearBuilt);
  const building = area * price * level * age * (1.12 - Math.min(0.3, area / 24_000));
  const ground = kind === "condominium" ? 0 : landValue(acres, level) * (kind === "land" ? 1 : 0.45);
  const luck = 1 + 0.12 * random.normal();
  const value = (building + ground) * luck * (waterfront ? 1.6 : 1);
  const bedrooms = Math.max(1, Math.min(7, Math.round(area / 680 + random.normal() * 0.6)));
  const resolved = !random.chance(unresolvedPart);
  return {
    seed,
    metro,
    place,
    kind,
    address,
    ...point,
    placekey: resolved
      ? `${whatPart(address.text)}@${wherePart(point.latitude, point.longitude)}`
      : undefined,
    parcelNumber: `R${String(combine(seed, 7) % 1_000_000_000).padStart(9, "0")}`,
    bedrooms,
    bathroomsFull: Math.max(1, Math.round(bedrooms * 0.62 + random.unit())),
    bathroomsHalf: random.chance(0.4) ? 1 : 0,
    area,
    acres,
    stories: kind === "condominium" ? 1 : random.int(1, area > 1500 ? 3 : 1),
    yearBuilt,
    garageSpaces: kind === "house" || kind === "townhouse" ? random.int(0, 3) : 0,
    units: kind === "plex" ? random.int(2, 4) : kind === "commercial" ? random.int(1, 12) : 1,
    pool: (kind === "house" || kind === "farm") && random.chance(metro.state === "FL" ? 0.34 : 0.12),
    waterfront,
    value: round(value, value > 100_000 ? 1000 : 100),
  };
}
