import { allOf, anyOf, type BoundNode, type StructuralProperty } from "@cadastre/odata";
import type { Fields } from "./fields.ts";
import { groupBy } from "./group.ts";
import { lookupNamesOf } from "./lookup-name.ts";
import { isNull, isOneOf } from "./predicate.ts";
import { datasetProperty } from "./resources/index.ts";

/**
 * Whether a row of the Lookup resource belongs to a field that is visible: a row of one dataset to a field that
 * this dataset shows, a row that all datasets share to a field that any of them shows.
 */
export function visibleLookups(
  lookupName: StructuralProperty,
  datasets: readonly string[],
  resources: readonly Fields[],
): BoundNode {
  const groups = groupBy(datasets, (dataset) => lookupsShownBy(dataset, resources).join("\n"));
  const ofDatasets = [...groups.values()].map((group) => {
    const names = group.slice(0, 1).flatMap((dataset) => lookupsShownBy(dataset, resources));
    return allOf(isOneOf(datasetProperty, group), isOneOf(lookupName, names));
  });
  const visible = resources.flatMap(({ entitySet }) => lookupsOf(entitySet.type.properties.values()));
  return anyOf(allOf(isNull(datasetProperty), isOneOf(lookupName, distinct(visible))), ...ofDatasets);
}

function lookupsShownBy(dataset: string, resources: readonly Fields[]): readonly string[] {
  const properties = resources.flatMap(({ entitySet, shownBy }) =>
    shownBy(dataset).flatMap((name) => entitySet.type.properties.get(name) ?? []),
  );
  return distinct(lookupsOf(properties));
}

const lookupsOf = (properties: Iterable<StructuralProperty>): readonly string[] =>
  [...properties].flatMap(lookupNamesOf);

const distinct = (values: readonly string[]) => [...new Set(values)].toSorted();
