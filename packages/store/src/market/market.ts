import type { Region } from "@cadastre/entitlement";
import type { Place } from "./listing-facts.ts";

/** A market: a kind of place and which one. Source: interface specification, section 4.2. */
export type Market = {
  readonly kind: "county" | "national" | "state" | "zip";
  readonly id: string;
};

/** Places that a place lies in, beside the nation: the state, the county, the ZIP code. */
export const depths = 3;

/** The markets that the whole of a place lies in. Of a place of depth 1 the state alone is known, of depth 0 nothing. */
export function marketsOf([state, county, zip]: Place, depth: number): readonly Market[] {
  const markets: Market[] = [{ kind: "national", id: "US" }];
  if (depth >= 1 && state !== null) markets.push({ kind: "state", id: state });
  if (depth >= 2 && state !== null && county !== null)
    markets.push({ kind: "county", id: `${state}/${county}` });
  if (depth >= 3 && zip !== null) markets.push({ kind: "zip", id: zip });
  return markets;
}

/** Whether regions hold all listings of a system in a place: else those of another caller might be more. */
export function isWhole(place: Place, depth: number, system: string, regions: ReadonlySet<string>): boolean {
  return (
    regions.has(regionText({ kind: "originating_system", value: system })) ||
    marketsOf(place, depth).some(({ kind, id }) => regions.has(regionText({ kind, value: id })))
  );
}

const regionText = ({ kind, value }: Region): string => `${kind}:${value}`;

export const regionTexts = (regions: readonly Region[]): ReadonlySet<string> =>
  new Set(regions.map(regionText));
