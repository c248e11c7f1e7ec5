import { type Place, places } from "./places.ts";
import { type Random, randomFrom } from "./random.ts";

/** Value of a field. There are no collections, because the floors would have to parse them. */
export type Value = string | number | boolean | null;
export type Listing = Readonly<Record<string, Value>>;

const streets = [
  "Maple",
  "Cedar Ridge",
  "Lakeview",
  "Old Mill",
  "Pecan Grove",
  "Juniper",
  "Harbor",
  "Sunset",
];
const suffixes = ["Street", "Avenue", "Drive", "Lane", "Court", "Boulevard"];
const people = ["Avery", "Jordan", "Morgan", "Riley", "Casey", "Quinn", "Rowan", "Sage"];
const families = ["Garcia", "Nguyen", "Smith", "Okafor", "Larsen", "Patel", "Johnson", "Kowalski"];
const statuses = [
  ["Active", 0.45],
  ["Pending", 0.1],
  ["Active Under Contract", 0.05],
  ["Closed", 0.3],
  ["Expired", 0.06],
  ["Canceled", 0.04],
] as const;
const sentences = [
  "Light fills the open plan from morning on.",
  "The kitchen was redone with quartz counters and a gas range.",
  "A fenced yard with mature trees backs to the greenbelt.",
  "Minutes from schools, shops and the highway.",
  "New roof and windows, and a two-stage furnace.",
  "The primary suite has a walk-in closet and a soaking tub.",
  "Owner's pride shows in every room; see it soon.",
];

const day = 86_400_000;
const now = Date.UTC(2026, 9, 1);

/** Returns the listing with this number. It only depends on the number. */
export function listingAt(index: number): Listing {
  const random = randomFrom(index);
  const place = random.pick(places);
  // Node 20 takes twelve times as long for an object literal of spread objects.
  const listing = Object.assign(
    identity(index, place, random),
    market(random),
    address(place, random),
    structure(random),
  );
  return Object.assign(listing, contacts(random), {
    PublicRemarks: Array.from({ length: 6 }, () => random.pick(sentences)).join(" "),
  });
}

export function* listingsUpTo(count: number): Generator<Listing> {
  for (let index = 0; index < count; index++) yield listingAt(index);
}

const padded = (number: number, length: number) => String(number).padStart(length, "0");

export const listingKeyAt = (index: number): string => `L${padded(index, 9)}`;
const listingIdAt = (index: number): string => `MLS${padded(index * 7, 8)}`;

const letters = "23456789bcdfghjkmnpqrstvwxyz";
const word = (random: Random) =>
  Array.from({ length: 3 }, () => letters.charAt(random.whole(0, 27))).join("");

const identity = (index: number, place: Place, random: Random): Listing => ({
  ListingKey: listingKeyAt(index),
  ListingId: listingIdAt(index),
  OriginatingSystemName: place.system,
  UniversalPropertyId: `US-${place.zip}-N-${padded(random.whole(0, 99_999_999), 8)}-R-N`,
  Placekey: `${word(random)}@${word(random)}-${word(random)}-${word(random)}`,
  ParcelNumber: `${random.whole(100, 999)}-${random.whole(1000, 9999)}-${random.whole(10, 99)}`,
});

const instant = (time: number) => new Date(time).toISOString();
const date = (time: number) => instant(time).slice(0, 10);

function statusOf(random: Random): string {
  let rest = random.unit();
  for (const [status, share] of statuses) {
    rest -= share;
    if (rest < 0) return status;
  }
  return "Active";
}

function market(random: Random): Listing {
  const status = statusOf(random);
  const onMarket = now - random.whole(20, 1000) * day;
  const days = random.whole(1, 200);
  const modified = Math.min(now, onMarket + days * day) - random.whole(0, day);
  const price = Math.round(150_000 * Math.exp(1.8 * random.unit())) + 99;
  const closed = status === "Closed";
  return {
    StandardStatus: status,
    MlsStatus: status,
    PropertyType: random.pick(["Residential", "Residential", "Residential", "Land", "Residential Lease"]),
    PropertySubType: random.pick(["Single Family Residence", "Condominium", "Townhouse"]),
    ListPrice: price,
    OriginalListPrice: price + random.whole(0, 20) * 1000,
    ClosePrice: closed ? price - random.whole(0, 10) * 1000 : null,
    CloseDate: closed ? date(modified) : null,
    ListingContractDate: date(onMarket - 3 * day),
    OnMarketDate: date(onMarket),
    DaysOnMarket: days,
    ModificationTimestamp: instant(modified),
    OriginalEntryTimestamp: instant(onMarket - 2 * day),
    StatusChangeTimestamp: instant(modified - random.whole(0, day)),
    PriceChangeTimestamp: random.chance(0.4) ? instant(modified - random.whole(0, 5 * day)) : null,
    PhotosChangeTimestamp: instant(onMarket),
    PhotosCount: random.whole(0, 50),
    TaxAnnualAmount: Math.round(price * 1.9) / 100,
    TaxYear: random.whole(2023, 2026),
    AssociationFee: random.chance(0.4) ? random.whole(20, 600) : null,
  };
}

const degrees = (centre: number, random: Random) =>
  Math.round((centre + (random.unit() - 0.5) * 0.4) * 1e6) / 1e6;

function address(place: Place, random: Random): Listing {
  const number = random.whole(1, 9999);
  const street = random.pick(streets);
  const zip = String(place.zip + random.whole(0, 20));
  return {
    UnparsedAddress: `${number} ${street} ${random.pick(suffixes)}, ${place.city}, ${place.state} ${zip}`,
    StreetNumber: String(number),
    StreetName: street,
    City: place.city,
    StateOrProvince: place.state,
    PostalCode: zip,
    CountyOrParish: place.county,
    SubdivisionName: random.chance(0.7) ? `${street} Estates` : null,
    Latitude: degrees(place.latitude, random),
    Longitude: degrees(place.longitude, random),
    ElementarySchool: `${random.pick(families)} Elementary`,
    HighSchool: `${place.city} High`,
    HighSchoolDistrict: `${place.city} ISD`,
  };
}

function structure(random: Random): Listing {
  const bathrooms = random.whole(1, 5);
  const half = random.whole(0, 1);
  const lot = random.whole(1500, 60_000);
  const garage = random.whole(0, 3);
  return {
    BedroomsTotal: random.whole(1, 6),
    BathroomsTotalInteger: bathrooms + half,
    BathroomsFull: bathrooms,
    BathroomsHalf: half,
    RoomsTotal: random.whole(3, 14),
    LivingArea: random.whole(600, 5200),
    LivingAreaUnits: "Square Feet",
    LotSizeAcres: Math.round((lot / 43_560) * 1e4) / 1e4,
    LotSizeSquareFeet: lot,
    YearBuilt: random.chance(0.95) ? random.whole(1900, 2026) : null,
    StoriesTotal: random.whole(1, 3),
    GarageSpaces: garage,
    GarageYN: garage > 0,
    PoolPrivateYN: random.chance(0.15),
    WaterfrontYN: random.chance(0.04),
    NewConstructionYN: random.chance(0.08),
    AssociationYN: random.chance(0.4),
    FireplaceYN: random.chance(0.5),
  };
}

function contacts(random: Random): Listing {
  const agent = random.whole(1, 20_000);
  const office = Math.ceil(agent / 12);
  return {
    ListAgentKey: `M${padded(agent, 7)}`,
    ListAgentFullName: `${random.pick(people)} ${random.pick(families)}`,
    ListOfficeKey: `O${padded(office, 6)}`,
    ListOfficeName: `${random.pick(families)} & ${random.pick(families)} Realty`,
    BuyerAgentKey: random.chance(0.3) ? `M${padded(random.whole(1, 20_000), 7)}` : null,
    BuyerOfficeKey: random.chance(0.3) ? `O${padded(random.whole(1, 1700), 6)}` : null,
  };
}
