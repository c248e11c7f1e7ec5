import type { Scope } from "@cadastre/entitlement";
import type { EntitySet } from "@cadastre/odata";
import { originatingSystems } from "@cadastre/reso";
import type { Coverage } from "@cadastre/store";
import { withinScope } from "../v1/field-completeness.ts";
import { placeOf } from "../v1/geography.ts";

/** A market: what one system has of one state. */
type MapMarket = { readonly name: string; readonly records: number };

/** What the map is of, and what it says of a share that is not told. */
export type Caption = { readonly title: string; readonly unknown: string };

/** Which fields have values, by market. */
export type HeatMap = {
  readonly markets: readonly MapMarket[];
  /** Those that most listings have a value of come first. */
  readonly fields: readonly MapField[];
};

export type MapField = {
  readonly name: string;
  /** Of each market, the share of its listings with a value; null where there are too few of them. */
  readonly shares: readonly (number | null)[];
};

/** How many listings a market has, as far as they are counted. */
export const listingsOf = ({ records }: MapMarket): string =>
  records === 0 ? "too few listings" : `${records.toLocaleString("en")} listings`;

/** The map of all states in which the systems are. */
export function heatMapOf(coverage: Coverage, entitySet: EntitySet, scope: Scope): HeatMap {
  const within = withinScope(coverage, entitySet, scope);
  const states = [...new Set(originatingSystems.flatMap((system) => system.states))].toSorted();
  const markets = states.flatMap((value) =>
    within.count(placeOf({ kind: "state", value }, entitySet)).map(({ system, fields }) => ({
      name: `${system ?? "unknown"}, ${value}`,
      records: Math.max(0, ...fields.map(({ records }) => records)),
      shares: new Map(
        fields.map(({ property, records, populated }) => [
          property.name,
          records === 0 ? null : populated / records,
        ]),
      ),
    })),
  );
  const fields = [...entitySet.type.properties.keys()].map((name) => ({
    name,
    shares: markets.map(({ shares }) => shares.get(name) ?? null),
  }));
  const sumOf = ({ shares }: MapField) => shares.reduce<number>((sum, share) => sum + (share ?? 0), 0);
  return {
    markets: markets.map(({ name, records }) => ({ name, records })),
    fields: fields.toSorted((a, b) => sumOf(b) - sumOf(a)),
  };
}
