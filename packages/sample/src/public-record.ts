import { dateText, referenceTime, timestampText } from "./calendar.ts";
import { today } from "./campaign.ts";
import type { ListingPlan } from "./listing-plan.ts";
import { type Property, type PropertyKind, propertyOf } from "./property.ts";
import { combine, Random } from "./random.ts";
import type { SampleRecord } from "./record.ts";
import { type System, systemOf } from "./systems.ts";

/** Fraction of listed properties for which the system has a public record. */
const recordedFraction = 0.93;

/** Fraction of blocks with a record of a property that is not listed. */
const unlistedFraction = 0.6;

/** Number of record numbers that are reserved for each block. */
const numbersPerBlock = 16;

/** Ordinal of the property that is not listed. It differs from those of listed properties, which count from 0. */
const unlistedOrdinal = 1_000_000;

const landUses: Readonly<Record<PropertyKind, string>> = {
  house: "Single Family",
  townhouse: "Townhouse",
  condominium: "Condominium",
  plex: "Multi Family",
  manufactured: "Manufactured Home",
  land: "Vacant Land",
  farm: "Agricultural",
  commercial: "Commercial",
  business: "Commercial",
};

type StateFacts = {
  /** Annual tax as a fraction of the assessed value. */
  readonly taxRate: number;
  /** True if deeds disclose the price. */
  readonly disclosed: boolean;
  readonly exemption: string | undefined;
};

const states: Readonly<Record<Property["metro"]["state"], StateFacts>> = {
  TX: { taxRate: 0.0184, disclosed: false, exemption: "Homestead" },
  WA: { taxRate: 0.0091, disclosed: true, exemption: undefined },
  OR: { taxRate: 0.0097, disclosed: true, exemption: undefined },
  FL: { taxRate: 0.0108, disclosed: true, exemption: "Homestead" },
};

const deeds = ["Warranty Deed", "Special Warranty Deed", "Quitclaim Deed", "Trustee Deed"] as const;

const squareFeetPerAcre = 43_560;

/** Factor of a value for each year back. */
const yearlyFactor = 0.96;

const toHundreds = (n: number): number => Math.round(n / 100) * 100;
const toCents = (n: number): number => Math.round(n * 100) / 100;

/** A transfer of ownership in the county's records. */
type Transfer = { readonly day: number; readonly price: number; readonly deed: string };

const random = new Random();

/** Draws the last transfers: the last sale known from listings, or else an earlier one; then perhaps one before it. */
function transfersOf({ value }: Property, sale: Transfer | undefined): readonly Transfer[] {
  const before = (latest: number, deed: string): Transfer => {
    const on = latest - random.int(400, 5200);
    const then = value * yearlyFactor ** ((today - on) / 365);
    return { day: on, price: toHundreds(then * (1 + 0.06 * random.normal())), deed };
  };
  const last = sale ?? before(today, random.pick(deeds));
  return random.chance(0.7) ? [last, before(last.day, random.pick(deeds))] : [last];
}

function transferFields(
  which: "Last" | "Prior",
  { day: on, price, deed }: Transfer,
  disclosed: boolean,
): SampleRecord {
  return {
    [`${which}TransferDate`]: dateText(on),
    [`${which}TransferDeed`]: deed,
    [`${which}TransferDocument`]: `${dateText(on).slice(0, 4)}${random.int(100_000, 999_999)}`,
    ...(disclosed ? { [`${which}TransferPrice`]: price } : {}),
  };
}

function recordOf(
  property: Property,
  system: System,
  number: number,
  sale: Transfer | undefined,
): SampleRecord {
  random.seed(combine(property.seed, 11));
  const { place, kind, address, area, acres, yearBuilt, value, metro } = property;
  const { taxRate, disclosed, exemption } = states[metro.state];
  const total = toHundreds(value * (0.72 + 0.22 * random.unit()));
  const land = area === 0 ? total : toHundreds(total * (0.15 + 0.3 * random.unit()));
  const occupied = area > 0 && random.chance(0.64);
  const [last, prior] = transfersOf(property, sale);
  const exempt = occupied && exemption !== undefined;
  return {
    AssessedImprovementValue: total - land,
    AssessedLandValue: land,
    AssessedTotalValue: total,
    AssessmentYear: 2025,
    ...(area > 0 && { BuildingSquareFeet: area }),
    City: place.city,
    CountyFips: place.fips,
    CountyOrParish: place.county,
    LandUse: landUses[kind],
    ...(last && transferFields("Last", last, disclosed)),
    Latitude: property.latitude,
    LegalDescription: `LOT ${random.int(1, 60)} BLK ${random.int(1, 30)} ${place.city.toUpperCase()} SEC ${random.int(1, 9)}`,
    Longitude: property.longitude,
    LotSquareFeet: Math.round(acres * squareFeetPerAcre),
    MarketValue: toHundreds(value * (0.92 + 0.16 * random.unit())),
    ModificationTimestamp: timestampText(referenceTime - random.int(1, 540 * 24 * 3600) * 1000),
    OriginatingSystemName: system.name,
    OwnerOccupied: occupied,
    ParcelNumber: property.parcelNumber,
    ...(property.placekey === undefined ? {} : { Placekey: property.placekey }),
    PostalCode: place.zip,
    ...(prior && transferFields("Prior", prior, disclosed)),
    PublicRecordKey: `${system.prefix}PR${10_000_000 + number}`,
    StateOrProvince: place.state,
    StreetAddress: address.text,
    TaxAmount: toCents(total * taxRate * (exempt ? 0.8 : 1)),
    ...(exempt && { TaxExemptions: [exemption] }),
    TaxYear: 2025,
    ...(address.unit === undefined ? {} : { UnitNumber: address.unit }),
    ...(area > 0 && { YearBuilt: yearBuilt }),
  };
}

/** Returns the newest sale in the listings of a property. */
function saleOf(property: Property, plans: readonly ListingPlan[]): Transfer | undefined {
  const [newest] = plans
    .flatMap(({ property: listed, campaign: { lease, closeDay, closePrice } }) =>
      listed === property && !lease && closeDay !== undefined && closePrice !== undefined
        ? [{ day: closeDay, price: closePrice, deed: deeds[0] }]
        : [],
    )
    .toSorted((a, b) => b.day - a.day);
  return newest;
}

/** A public record, and the system that has it. */
export type PlannedPublicRecord = { readonly system: System; readonly record: SampleRecord };

/**
 * Generates the PublicRecord records of a block of listings: for most of its properties one from each system that lists it, and
 * sometimes one of a property that is not listed.
 */
export function publicRecords(
  seed: number,
  block: number,
  plans: readonly ListingPlan[],
): readonly PlannedPublicRecord[] {
  const found: PlannedPublicRecord[] = [];
  const add = (property: Property, system: System, sale: Transfer | undefined) => {
    const number = block * numbersPerBlock + found.length;
    found.push({ system, record: recordOf(property, system, number, sale) });
  };
  const isFirst = ({ property, system }: ListingPlan, k: number) =>
    plans.findIndex((other) => other.property === property && other.system === system) === k;
  for (const { property, system } of plans.filter(isFirst)) {
    if (random.seed(combine(property.seed, 9)).chance(recordedFraction))
      add(property, systemOf(system), saleOf(property, plans));
  }
  const own = combine(combine(seed, block), unlistedOrdinal);
  if (plans.length > 0 && random.seed(combine(own, 9)).chance(unlistedFraction)) {
    const property = propertyOf(own);
    const { id } = random.seed(combine(own, 10)).weighted(property.metro.systems);
    add(property, systemOf(id), undefined);
  }
  return found;
}
