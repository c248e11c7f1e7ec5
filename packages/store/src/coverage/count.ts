import { datasetProperty } from "@cadastre/entitlement";
import { type BoundNode, matches, type Projection, type StructuralProperty } from "@cadastre/odata";
import { type Member, numberOfMembers } from "../record/members.ts";
import type { FieldCoverage, MarketCoverage } from "./coverage.ts";
import type { CoverageGroup } from "./group.ts";
import { Population } from "./population.ts";
import { readsDataset } from "./reads.ts";
import type { CountingUnit } from "./unit.ts";

/**
 * The groups that a query finds, and the units of which it finds all groups. Only units are counted; the other groups only show that
 * their market exists.
 */
export type VisibleCounts = {
  readonly groups: readonly CoverageGroup[];
  readonly units: readonly CountingUnit[];
};

/** A market with its counted records by dataset. A dataset with too few records has an empty population. */
type Market = Pick<MarketCoverage, "source" | "system"> & {
  readonly datasets: Map<string | null, Population>;
};

/** Counts each market by property, over the datasets that show the property unmasked. */
export function countMarkets(
  { groups, units }: VisibleCounts,
  select: readonly Projection[],
  members: ReadonlyMap<string, Member>,
): readonly MarketCoverage[] {
  const markets = marketsOf(groups, numberOfMembers(members));
  for (const { groups: together } of units)
    for (const group of together) populationOf(markets, group)?.add(group.records, group.populated);
  return [...markets.values()]
    .map(({ source, system, datasets }) => ({
      source,
      system,
      fields: select.flatMap(({ property, expression }) => {
        const ordinal = members.get(property.name)?.ordinal;
        const showing = [...datasets].filter(([dataset]) => showsUnmasked(expression, property, dataset));
        return ordinal === undefined || showing.length === 0 ? [] : [fieldOf(property, ordinal, showing)];
      }),
    }))
    .filter(({ fields }) => fields.length > 0);
}

const marketText = ([, source, system]: CoverageGroup["key"]): string => JSON.stringify([source, system]);

/** Sorted by source and system, so that the order does not depend on the data. */
function marketsOf(groups: readonly CoverageGroup[], members: number): ReadonlyMap<string, Market> {
  const markets = new Map<string, Market>();
  for (const { key } of groups) {
    const [datasetId, source, system] = key;
    const text = marketText(key);
    const market = markets.get(text) ?? { source, system, datasets: new Map<string | null, Population>() };
    if (!market.datasets.has(datasetId)) market.datasets.set(datasetId, new Population(members));
    markets.set(text, market);
  }
  return new Map([...markets].sort(([a], [b]) => (a < b ? -1 : 1)));
}

const populationOf = (markets: ReadonlyMap<string, Market>, { key }: CoverageGroup): Population | undefined =>
  markets.get(marketText(key))?.datasets.get(key[0]);

function fieldOf(
  property: StructuralProperty,
  ordinal: number,
  showing: readonly (readonly [unknown, Population])[],
): FieldCoverage {
  let [records, populated] = [0, 0];
  for (const [, population] of showing) {
    records += population.records;
    populated += population.populated[ordinal] ?? 0;
  }
  return { property, records, populated };
}

/** True if rows of the dataset show the stored value of the property, not a part of it and not another property. */
export function showsUnmasked(
  expression: BoundNode,
  property: StructuralProperty,
  dataset: string | null,
): boolean {
  if (expression.kind === "Property")
    return expression.base === undefined && expression.property.name === property.name;
  if (expression.kind !== "Choice" || !readsDataset(expression.when)) return false;
  const { when, value, otherwise } = expression;
  if (matches(when, { [datasetProperty.name]: dataset })) return showsUnmasked(value, property, dataset);
  return otherwise !== undefined && showsUnmasked(otherwise, property, dataset);
}
