import type { Row } from "@cadastre/odata";
import { type Month, monthOf } from "./month.ts";

/** The fields that a report is made of. Of a dataset, those that it shows whole: another has no value. */
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

/** Listings that are counted together in a month. */
export const populations = ["new", "active", "closed"] as const;
export type Population = (typeof populations)[number];

/** The populations that can be told from these fields. */
export const toldBy = (isShown: (field: ReportField) => boolean): ReadonlySet<Population> => {
  const hasBegin = isShown("OnMarketDate") || isShown("ListingContractDate");
  const hasEnd = isShown("OffMarketDate") || isShown("StatusChangeTimestamp");
  const hasStatus = isShown("StandardStatus");
  return new Set<Population>([
    ...(hasBegin ? (["new"] as const) : []),
    ...(hasBegin && hasEnd && hasStatus ? (["active"] as const) : []),
    ...(hasStatus && isShown("CloseDate") ? (["closed"] as const) : []),
  ]);
};

/** Statuses of a listing that has not left the market. */
const onMarket: readonly unknown[] = ["Active", "Active Under Contract"];

/** Where a listing lies, as far as is shown: each place within the one before. */
export type Place = readonly [state: string | null, county: string | null, zip: string | null];

/** What a report takes of a listing. */
export type ListingFacts = {
  readonly type: string;
  readonly system: string;
  readonly place: Place;
  /** The month in which it came on the market. */
  readonly begun: Month | undefined;
  /** The month in which it left the market; infinite while it has not. */
  readonly ended: Month | undefined;
  readonly closed: Month | undefined;
  /** Cents. */
  readonly listPrice: number | undefined;
  readonly closePrice: number | undefined;
  readonly days: number | undefined;
  /** Cents for a square foot. */
  readonly unitPrice: number | undefined;
};

/** Undefined for a listing without a type. */
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

/** The first five digits, of a ZIP+4 too. */
function zipOf(value: unknown): string | null {
  const [, zip = null] = (typeof value === "string" && /^(\d{5})(?:\D|$)/.exec(value)) || [];
  return zip;
}

const hundredths = (value: unknown): number | undefined =>
  typeof value === "number" ? Math.round(value * 100) : undefined;

/** An area that is not said to be in other units is in square feet. Rounded to cents, half up. */
function unitPriceOf(price: number | undefined, { LivingArea, LivingAreaUnits }: Row): number | undefined {
  const area = hundredths(LivingArea);
  if (price === undefined || area === undefined || area <= 0) return undefined;
  if (LivingAreaUnits !== undefined && LivingAreaUnits !== null && LivingAreaUnits !== "Square Feet")
    return undefined;
  const [doubled, divisor] = [200n * BigInt(price) + BigInt(area), 2n * BigInt(area)];
  return Number(doubled < 0n ? -((-doubled + divisor - 1n) / divisor) : doubled / divisor);
}
