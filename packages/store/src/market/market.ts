import type { Region } from "@cadastre/entitlement";
import type { ListingLocation } from "./listing-facts.ts";

/** A market, identified by the kind and id of a place. Source: interface specification, section 4.2. */
export type Market = {
  readonly kind: "county" | "national" | "state" | "zip";
  readonly id: string;
};

/** Number of levels of place below the nation: state, county, ZIP code. */
export const depths = 3;

/** Returns the markets that contain a whole place. At depth 1 only the state is known, at depth 0 nothing. */
export function marketsOf([state, county, zip]: ListingLocation, depth: number): readonly Market[] {
  const markets: Market[] = [{ kind: "national", id: "US" }];
  if (depth >= 1 && state !== null) markets.push({ kind: "state", id: state });
  if (depth >= 2 && state !== null && county !== null)
    markets.push({ kind: "county", id: `${state}/${county}` });
  if (depth >= 3 && zip !== null) markets.push({ kind: "zip", id: zip });
  return markets;
}

/**
 * True if the regions include all listings of a system in a place. Otherwise callers with other regions may see more of them.
 */
export function includesAllListings(
  place: ListingLocation,
  depth: number,
  system: string,
  regions: ReadonlySet<string>,
): boolean {
  return (
    regions.has(regionText({ kind: "originating_system", value: system })) ||
    marketsOf(place, depth).some(({ kind, id }) => regions.has(regionText({ kind, value: id })))
  );
}

const regionText = ({ kind, value }: Region): string => `${kind}:${value}`;

export const regionTexts = (regions: readonly Region[]): ReadonlySet<string> =>
  new Set(regions.map(regionText));
