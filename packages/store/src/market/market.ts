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
 * True if one of the granted regions is the whole system, or a market that contains the place down to `depth`. Otherwise callers with other
 * regions may see more of the system's listings there.
 */
export function includesAllListings(
  place: ListingLocation,
  depth: number,
  system: string,
  granted: ReadonlySet<string>,
): boolean {
  return (
    granted.has(regionText({ kind: "originating_system", value: system })) ||
    marketsOf(place, depth).some(({ kind, id }) => granted.has(regionText({ kind, value: id })))
  );
}

const regionText = ({ kind, value }: Region): string => `${kind}:${value}`;

export const regionTexts = (regions: readonly Region[]): ReadonlySet<string> =>
  new Set(regions.map(regionText));
