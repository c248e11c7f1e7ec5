import type { Fills } from "./fill.ts";
import type { Listing } from "./listing.ts";
import { schools, subdivisions } from "./names.ts";
import { combine } from "./random.ts";

/** Picks one of `names`. The listings in one ZIP code use at most `spread` of them. */
const pickForZip = (names: readonly string[], { property }: Listing, spread: number): string =>
  names[combine(Number(property.place.zip), property.seed % spread) % names.length] as string;

const timeZones = {
  TX: ["America/Chicago", -6],
  WA: ["America/Los_Angeles", -8],
  OR: ["America/Los_Angeles", -8],
  FL: ["America/New_York", -5],
} as const;

const twoDigits = (n: number): string => String(n).padStart(2, "0");

/** Fields with the location of the property. */
export const locationFields: Fills<Listing> = {
  Latitude: ({ property }) => property.latitude,
  Longitude: ({ property }) => property.longitude,
  Coordinates: ({ property }) => ({ type: "Point", coordinates: [property.longitude, property.latitude] }),
  Placekey: ({ property }) => property.placekey,
  // Source: RESO Universal Parcel Identifier 2.0.
  UniversalPropertyId: ({ property }) =>
    `urn:reso:upi:2.0:US:${property.place.fips}:${property.parcelNumber}${property.address.unit === undefined ? "" : `:sub:${property.address.unit}`}`,
  UniversalPropertySubId: ({ property }) => property.address.unit,
  ParcelNumber: ({ property }) => property.parcelNumber,
  Country: () => "US",
  StateOrProvince: ({ property }) => property.place.state,
  CountyOrParish: ({ property }) => property.place.county,
  City: ({ property }) => property.place.city,
  PostalCity: ({ property }) => property.place.city,
  PostalCode: ({ property }) => property.place.zip,
  PostalCodePlus4: ({ property }) => String(1000 + (property.seed % 8999)),
  StreetNumber: ({ property }) => String(property.address.number),
  StreetNumberNumeric: ({ property }) => property.address.number,
  StreetDirPrefix: ({ property }) => property.address.directionPrefix,
  StreetDirSuffix: () => undefined,
  StreetName: ({ property }) => property.address.street,
  StreetSuffix: ({ property }) => property.address.suffix,
  StreetSuffixModifier: () => undefined,
  StreetAdditionalInfo: () => undefined,
  UnitNumber: ({ property }) => property.address.unit,
  UnparsedAddress: ({ property }) => property.address.text,
  CityRegion: ({ property }) => `${property.place.city} ${property.seed % 2 === 0 ? "North" : "South"}`,
  StateRegion: ({ property }) => property.metro.name,
  CountryRegion: ({ property }) =>
    property.place.state === "WA" || property.place.state === "OR" ? "West" : "South",
  ContinentRegion: () => "North America",
  MLSAreaMajor: ({ property }) => `${property.place.county} - ${property.place.city}`,
  MLSAreaMinor: ({ property }) => property.place.zip,
  SubdivisionName: (listing) => pickForZip(subdivisions, listing, 4),
  ElementarySchool: (listing) => `${pickForZip(schools, listing, 3)} Elementary`,
  MiddleOrJuniorSchool: (listing) => `${pickForZip(schools, listing, 2)} Middle`,
  HighSchool: (listing) => `${pickForZip(schools, listing, 1)} High`,
  ElementarySchoolDistrict: ({ property }) => `${property.place.county} School District`,
  MiddleOrJuniorSchoolDistrict: ({ property }) => `${property.place.county} School District`,
  HighSchoolDistrict: ({ property }) => `${property.place.county} School District`,
  CrossStreet: ({ property }) => `${twoDigits(1 + (property.seed % 98))}th`,
  PropertyTimeZoneName: ({ property }) => timeZones[property.metro.state][0],
  PropertyTimeZoneStandardOffset: ({ property }) => timeZones[property.metro.state][1],
  PropertyTimeZoneObservesDstYN: () => true,
  MapURL: ({ property }) => `https://maps.example.com/?at=${property.latitude},${property.longitude}`,
  Township: ({ property }) => `T${1 + (property.seed % 40)}N`,
};
