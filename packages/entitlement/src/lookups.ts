import type { BoundNode, StructuralProperty } from "@cadastre/odata";
import { allOf, anyOf } from "@cadastre/odata/tree";
import type { VisibleFields } from "./fields.ts";
import { groupBy } from "./group.ts";
import { lookupNamesOf } from "./lookup-name.ts";
import { isNull, isOneOf } from "./predicate.ts";
import { datasetProperty } from "./resources/index.ts";

/**
 * Returns the predicate for visible rows of the Lookup resource. A row of one dataset is visible if its lookup is used by a field that
 * this dataset shows; a row shared by all datasets, if any of them shows such a field.
 */
export function visibleLookups(
  lookupName: StructuralProperty,
  datasets: readonly string[],
  resources: readonly VisibleFields[],
): BoundNode {
  const groups = groupBy(datasets, (dataset) => lookupsShownBy(dataset, resources).join("\n"));
  const ofDatasets = [...groups.values()].map((group) => {
    const names = group.slice(0, 1).flatMap((dataset) => lookupsShownBy(dataset, resources));
    return allOf(isOneOf(datasetProperty, group), isOneOf(lookupName, names));
  });
  const visible = resources.flatMap(({ entitySet }) => lookupsOf(entitySet.type.properties.values()));
  return anyOf(allOf(isNull(datasetProperty), isOneOf(lookupName, distinct(visible))), ...ofDatasets);
}

function lookupsShownBy(dataset: string, resources: readonly VisibleFields[]): readonly string[] {
  const properties = resources.flatMap(({ entitySet, shownBy }) =>
    shownBy(dataset).flatMap((name) => entitySet.type.properties.get(name) ?? []),
  );
  return distinct(lookupsOf(properties));
}

const lookupsOf = (properties: Iterable<StructuralProperty>): readonly string[] =>
  [...properties].flatMap(lookupNamesOf);

const distinct = (values: readonly string[]) => [...new Set(values)].toSorted();
