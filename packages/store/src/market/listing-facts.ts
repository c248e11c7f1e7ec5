import type { Row } from "@cadastre/odata";
import { type Month, monthOf } from "./month.ts";

/** Fields that a report uses. Fields that a dataset masks are treated as having no value. */
export const reportFields = [
  "PropertyType",
  "OriginatingSystemName",
  "StateOrProvince",
  "CountyOrParish",
  "PostalCode",
  "StandardStatus",
  "OnMarketDate",
  "ListingContractDate",
  "OffMarketDate",
  "StatusChangeTimestamp",
  "CloseDate",
  "ListPrice",
  "ClosePrice",
  "DaysOnMarket",
  "LivingArea",
  "LivingAreaUnits",
] as const;

export type ReportField = (typeof reportFields)[number];

/** Kinds of listings counted in a month. */
export const populations = ["new", "active", "closed"] as const;
export type PopulationName = (typeof populations)[number];

/** Returns the populations that can be determined from the fields shown. */
export const toldBy = (isShown: (field: ReportField) => boolean): ReadonlySet<PopulationName> => {
  const hasBegin = isShown("OnMarketDate") || isShown("ListingContractDate");
  const hasEnd = isShown("OffMarketDate") || isShown("StatusChangeTimestamp");
  const hasStatus = isShown("StandardStatus");
  return new Set<PopulationName>([
    ...(hasBegin ? (["new"] as const) : []),
    ...(hasBegin && hasEnd && hasStatus ? (["active"] as const) : []),
    ...(hasStatus && isShown("CloseDate") ? (["closed"] as const) : []),
  ]);
};

/** Statuses of listings on the market. */
const onMarket: readonly unknown[] = ["Active", "Active Under Contract"];

/** Location of a listing as far as the scope shows it; each place lies within the one before. */
export type ListingLocation = readonly [state: string | null, county: string | null, zip: string | null];

/** Values of a listing that a report uses. */
export type ListingFacts = {
  readonly type: string;
  readonly system: string;
  readonly place: ListingLocation;
  /** Month in which the listing came on the market. */
  readonly begun: Month | undefined;
  /** Month in which the listing left the market; infinite if it has not. */
  readonly ended: Month | undefined;
  readonly closed: Month | undefined;
  /** In cents. */
  readonly listPrice: number | undefined;
  readonly closePrice: number | undefined;
  readonly days: number | undefined;
  /** In cents per square foot. */
  readonly unitPrice: number | undefined;
};

/** Extracts the facts of a listing; undefined if it has no property type. */
export function factsOf(listing: Row): ListingFacts | undefined {
  const { PropertyType: type, StandardStatus: status } = listing;
  const text = (name: ReportField) => {
    const value = listing[name];
    return typeof value === "string" ? value : null;
  };
  if (typeof type !== "string") return undefined;
  const left = monthOf(listing["OffMarketDate"]) ?? monthOf(listing["StatusChangeTimestamp"]);
  const closePrice = hundredths(listing["ClosePrice"]);
  return {
    type,
    system: text("OriginatingSystemName") ?? "",
    place: [text("StateOrProvince"), text("CountyOrParish"), zipOf(listing["PostalCode"])],
    begun: monthOf(listing["OnMarketDate"]) ?? monthOf(listing["ListingContractDate"]),
    ended: onMarket.includes(status) ? Number.POSITIVE_INFINITY : left,
    closed: status === "Closed" ? monthOf(listing["CloseDate"]) : undefined,
    listPrice: hundredths(listing["ListPrice"]),
    closePrice,
    days: typeof listing["DaysOnMarket"] === "number" ? listing["DaysOnMarket"] : undefined,
    unitPrice: unitPriceOf(closePrice, listing),
  };
}

/** Returns the first five digits of a ZIP or ZIP+4 code. */
function zipOf(value: unknown): string | null {
  const [, zip = null] = (typeof value === "string" && /^(\d{5})(?:\D|$)/.exec(value)) || [];
  return zip;
}

const hundredths = (value: unknown): number | undefined =>
  typeof value === "number" ? Math.round(value * 100) : undefined;

/** Returns the price per square foot in cents, rounded half up. An area without units is taken to be in square feet. */
function unitPriceOf(price: number | undefined, { LivingArea, LivingAreaUnits }: Row): number | undefined {
  const area = hundredths(LivingArea);
  if (price === undefined || area === undefined || area <= 0) return undefined;
  if (LivingAreaUnits !== undefined && LivingAreaUnits !== null && LivingAreaUnits !== "Square Feet")
    return undefined;
  const [doubled, divisor] = [200n * BigInt(price) + BigInt(area), 2n * BigInt(area)];
  return Number(doubled < 0n ? -((-doubled + divisor - 1n) / divisor) : doubled / divisor);
}
