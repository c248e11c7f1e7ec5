import type { ListingLocation } from "./listing-facts.ts";
import { depths, includesAllListings } from "./market.ts";

/** Listings of one dataset, system and type in one place: the smallest group that is counted. */
export type Group = {
  readonly dataset: string;
  readonly system: string;
  readonly type: string;
  readonly place: ListingLocation;
};

/**
 * Returns, for each group that is counted, the depth of place at which it is counted. A group with too few listings is combined
 * with others in the smallest place where they have enough together. So all counts are sums of sufficiently large units, and no
 * sum or difference of counts is about fewer listings. Source: docs/coverage.md, "Too few listings".
 *
 * @param counts number of listings by group number
 * @param least minimum number of listings in a unit
 * @param regions regions of the scope. A place that they cover only in part is not counted as this place.
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
    const wholes = groupsByPlace(small, groups, depth).filter(([member = 0]) => {
      const group = groups[member];
      return group !== undefined && includesAllListings(group.place, depth, group.system, regions);
    });
    for (const member of wholes.filter(areEnough).flat()) found.set(member, depth);
    small = wholes.filter((members) => !areEnough(members)).flat();
  }
  return found;
}

/** Combines groups by dataset, system, type and their first `depth` levels of place. */
function groupsByPlace(
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
