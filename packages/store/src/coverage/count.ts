import { datasetProperty, type RestrictedQuery } from "@cadastre/entitlement";
import { type BoundNode, mapChildren, matches, type StructuralProperty } from "@cadastre/odata";
import { StoreError } from "../errors.ts";
import { type Member, numberOfMembers } from "../record/members.ts";
import { type Atom, atomRow, placeColumns } from "./atom.ts";
import type { Counted, FieldCoverage, MarketCoverage } from "./coverage.ts";
import { Population } from "./population.ts";
import type { Unit } from "./unit.ts";

/** What a build's coverage is counted from. */
export type CountedBuild = {
  readonly counted: Counted;
  readonly members: ReadonlyMap<string, Member>;
  readonly atoms: readonly Atom[];
  readonly units: readonly Unit[];
};

/** By dataset, the records that are counted: none, where there are too few. */
type Market = Pick<MarketCoverage, "source" | "system"> & {
  readonly datasets: Map<string | null, Population>;
};

/**
 * See `Coverage.count`. A unit counts where the filter finds its place, whatever lies in it, and all of its atoms: so what
 * is not found changes nothing, and what is counted is made of the same units for everyone.
 */
export function countCoverage(query: RestrictedQuery, build: CountedBuild): readonly MarketCoverage[] {
  const { counted, atoms, units, members } = build;
  const { filter, select } = query;
  requireCounted(filter, counted);
  const found = new Set(atoms.filter(({ key }) => matches(filter, atomRow(key, counted))));
  const markets = marketsOf(found, numberOfMembers(members));
  for (const { row, atoms: together } of units)
    if (matches(filter, row) && together.every((atom) => found.has(atom)))
      for (const atom of together) populationOf(markets, atom)?.add(atom.records, atom.populated);
  return [...markets.values()]
    .map(({ source, system, datasets }) => ({
      source,
      system,
      fields: select.flatMap(({ property, expression }) => {
        const ordinal = members.get(property.name)?.ordinal;
        const showing = [...datasets].filter(([dataset]) => isWhole(expression, property, dataset));
        return ordinal === undefined || showing.length === 0 ? [] : [fieldOf(property, ordinal, showing)];
      }),
    }))
    .filter(({ fields }) => fields.length > 0);
}

const marketText = ([, source, system]: Atom["key"]): string => JSON.stringify([source, system]);

/** Of everything that was found, in one order. */
function marketsOf(found: Iterable<Atom>, members: number): ReadonlyMap<string, Market> {
  const markets = new Map<string, Market>();
  for (const { key } of found) {
    const [datasetId, source, system] = key;
    const text = marketText(key);
    const market = markets.get(text) ?? { source, system, datasets: new Map<string | null, Population>() };
    if (!market.datasets.has(datasetId)) market.datasets.set(datasetId, new Population(members));
    markets.set(text, market);
  }
  return new Map([...markets].sort(([a], [b]) => (a < b ? -1 : 1)));
}

const populationOf = (markets: ReadonlyMap<string, Market>, { key }: Atom): Population | undefined =>
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

/** Whether rows of the dataset show the value of the property itself, and neither a part of it nor another. */
function isWhole(expression: BoundNode, property: StructuralProperty, dataset: string | null): boolean {
  if (expression.kind === "Property")
    return expression.base === undefined && expression.property.name === property.name;
  if (expression.kind !== "Choice" || !readsOnly(expression.when, isDataset)) return false;
  const { when, value, otherwise } = expression;
  if (matches(when, { [datasetProperty.name]: dataset })) return isWhole(value, property, dataset);
  return otherwise !== undefined && isWhole(otherwise, property, dataset);
}

const isDataset = (name: string): boolean => name === datasetProperty.name;

/** @throws {StoreError} `uncounted_scope` */
function requireCounted(filter: BoundNode, counted: Counted): void {
  const known = new Set([datasetProperty.name, counted.system, ...placeColumns(counted)]);
  if (!readsOnly(filter, (name) => known.has(name))) throw new StoreError("uncounted_scope");
}

/** Whether every property that the node reads is one of the entity's own that is known. */
function readsOnly(node: BoundNode, isKnown: (name: string) => boolean): boolean {
  let reads = true;
  const visit = (child: BoundNode): BoundNode => {
    if (child.kind === "Property") reads &&= child.base === undefined && isKnown(child.property.name);
    else if (child.kind === "Structure") reads = false;
    return mapChildren(child, visit);
  };
  visit(node);
  return reads;
}
