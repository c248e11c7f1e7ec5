import type { Scope } from "@cadastre/entitlement";
import type { EntitySet } from "@cadastre/odata";
import type { Catalog } from "@cadastre/reso";
import type { Coverage } from "@cadastre/store";
import { withinScope } from "../v1/field-completeness.ts";
import { regionColumns } from "../v1/geography.ts";

/** A market: the listings of one originating system in one state. */
type MapMarket = { readonly name: string; readonly records: number };

/** Title of the map, and legend of suppressed shares. */
export type Caption = { readonly title: string; readonly unknown: string };

/** Share of listings with a value, by field and market. */
export type HeatMap = {
  readonly markets: readonly MapMarket[];
  /** In descending order of the share of listings with a value. */
  readonly fields: readonly MapField[];
};

export type MapField = {
  readonly name: string;
  /** Share of listings with a value in each market. Null if the market has too few listings. */
  readonly shares: readonly (number | null)[];
};

/** Returns the number of a market's listings as text. */
export const listingsOf = ({ records }: MapMarket): string =>
  records === 0 ? "too few listings" : `${records.toLocaleString("en")} listings`;

/** Creates the map of all states of the originating systems. */
export function heatMapOf(
  coverage: Coverage,
  { systems }: Catalog,
  entitySet: EntitySet,
  scope: Scope,
): HeatMap {
  const within = withinScope(coverage, entitySet, scope);
  const states = [...new Set(systems.flatMap((system) => system.states))].toSorted();
  const markets = states.flatMap((value) =>
    within.count(regionColumns({ kind: "state", value }, entitySet)).map(({ system, fields }) => ({
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
