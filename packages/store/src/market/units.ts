import type { Place } from "./listing-facts.ts";
import { depths, isWhole } from "./market.ts";

/** Listings of one dataset, system and type in one place: the finest group that is counted. */
export type Group = {
  readonly dataset: string;
  readonly system: string;
  readonly type: string;
  readonly place: Place;
};

/**
 * At which depth of place the listings of each group are counted, for groups that are: together with those of other groups that
 * are too few, over the smallest place in which they are enough. So whatever is counted is made of parts that are large enough,
 * and no sum or difference of counts is of fewer. Source: docs/coverage.md, "Too few listings".
 *
 * @param counts listings by number of the group
 * @param least listings that are counted together
 * @param regions those of the scope: a part of a place is not counted as the place
 */
export function unitDepths(
  groups: readonly Group[],
  counts: ReadonlyMap<number, number>,
  least: number,
  regions: ReadonlySet<string>,
): ReadonlyMap<number, number> {
  const found = new Map<number, number>();
  const areEnough = (members: readonly number[]) =>
    members.reduce((sum, member) => sum + (counts.get(member) ?? 0), 0) >= least;
  let small = [...counts.keys()];
  for (let depth = depths; depth >= 0; depth--) {
    const wholes = together(small, groups, depth).filter(([member = 0]) => {
      const group = groups[member];
      return group !== undefined && isWhole(group.place, depth, group.system, regions);
    });
    for (const member of wholes.filter(areEnough).flat()) found.set(member, depth);
    small = wholes.filter((members) => !areEnough(members)).flat();
  }
  return found;
}

/** The groups by dataset, system, type and their place of so many levels. */
function together(
  members: readonly number[],
  groups: readonly Group[],
  depth: number,
): readonly (readonly number[])[] {
  const found = new Map<string, number[]>();
  for (const member of members) {
    const group = groups[member];
    if (group === undefined) continue;
    const { dataset, system, type, place } = group;
    const text = JSON.stringify([dataset, system, type, ...place.slice(0, depth)]);
    const known = found.get(text);
    if (known === undefined) found.set(text, [member]);
    else known.push(member);
  }
  return [...found.values()];
}
