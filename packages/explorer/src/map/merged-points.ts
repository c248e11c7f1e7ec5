import type { SeenBy } from "../compare/merged-rows.ts";
import type { LonLat } from "../query/area-terms.ts";

/** A record with a place. */
export type ListingPoint = {
  readonly key: string;
  readonly place: LonLat;
  readonly price: number | undefined;
  readonly status: string;
  /** Who sees the record at this place. */
  readonly seenBy: SeenBy;
  /** Where the other one of two keys sees the record, if that is elsewhere. */
  readonly otherPlace?: LonLat;
};

const isSamePlace = (a: LonLat, b: LonLat): boolean => a[0] === b[0] && a[1] === b[1];

/**
 * Merges the points of two keys. A record that both see at one place is one point. One that they see at different places, because a mask
 * rounds the place of one of them, is a point at each, as the record of the key that sees it there.
 */
export function mergePoints(
  first: readonly ListingPoint[],
  second: readonly ListingPoint[],
): readonly ListingPoint[] {
  const ofSecond = new Map(second.map((point) => [point.key, point]));
  const shared = new Set<string>();
  const points: ListingPoint[] = [];
  for (const point of first) {
    const other = ofSecond.get(point.key);
    if (other === undefined) points.push({ ...point, seenBy: "first" });
    else {
      shared.add(point.key);
      if (isSamePlace(point.place, other.place)) points.push({ ...point, seenBy: "both" });
      else
        points.push(
          { ...point, seenBy: "first", otherPlace: other.place },
          { ...other, seenBy: "second", otherPlace: point.place },
        );
    }
  }
  for (const point of second) if (!shared.has(point.key)) points.push({ ...point, seenBy: "second" });
  return points;
}
