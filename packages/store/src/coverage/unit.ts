import type { Row } from "@cadastre/odata";
import type { Counted } from "../stored-resource.ts";
import { type CoverageGroup, type GroupKey, groupRow } from "./group.ts";

/**
 * Groups of one dataset, source and system that are counted together or not at all. The groups of the smallest place form a unit if
 * they have enough records; those left over are combined by the next larger place that contains them.
 */
export type CountingUnit = {
  readonly dataset: string | null;
  /** A row that represents the place of the unit: the columns of smaller places are null. */
  readonly row: Row;
  readonly groups: readonly CoverageGroup[];
};

/**
 * Divides groups into units by the first `places` kinds of place, from the largest down.
 *
 * @param least smallest number of records in a unit. Groups of a system that together have fewer are in no unit.
 */
export function unitsOf(
  groups: readonly CoverageGroup[],
  counted: Counted,
  least: number,
  places: number,
): readonly CountingUnit[] {
  const units: CountingUnit[] = [];
  let small = groups;
  for (let depth = places; depth >= 0; depth--) {
    const rest: CoverageGroup[] = [];
    for (const members of unitGroups(small, depth)) {
      const records = members.reduce((sum, group) => sum + group.records, 0);
      const [first] = members;
      if (first === undefined || records < least) rest.push(...members);
      else
        units.push({ dataset: first.key[0], row: groupRow(keyOf(first, depth), counted), groups: members });
    }
    small = rest;
  }
  return units;
}

/** Gathers the groups that have the first `depth` places in common. */
function unitGroups(groups: readonly CoverageGroup[], depth: number): Iterable<readonly CoverageGroup[]> {
  const units = new Map<string, CoverageGroup[]>();
  for (const group of groups) {
    const text = JSON.stringify(keyOf(group, depth));
    const unit = units.get(text);
    if (unit === undefined) units.set(text, [group]);
    else unit.push(group);
  }
  return units.values();
}

/** Returns the key of a group without the places below `depth`. */
function keyOf({ key }: CoverageGroup, depth: number): GroupKey {
  const [datasetId, source, system, ...places] = key;
  return [datasetId, source, system, ...places.slice(0, depth)];
}
