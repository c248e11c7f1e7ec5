import Supercluster from "supercluster";
import type { LonLat } from "../query/area-terms.ts";
import { statusClass } from "../table/format.ts";
import type { ListingPoint } from "./merged-points.ts";

/** Numbers of points by what they are coloured by: the status, or who sees them. */
type Shares = Readonly<Record<string, number>>;

/** A mark of the map: one record, or several that are close to each other. */
export type Mark = {
  readonly longitude: number;
  readonly latitude: number;
  readonly count: number;
  readonly shares: Shares;
  /** The record, if it is a single one. */
  readonly point: ListingPoint | undefined;
  readonly clusterId: number | undefined;
  /** Edges of the cell that it is the count of: south-west and north-east. Undefined for any other mark. */
  readonly cell?: readonly [southWest: LonLat, northEast: LonLat];
};

type PointProperties = { readonly point: ListingPoint };
type ClusterShares = { shares: Record<string, number> };

export type ClusterIndex = Supercluster<PointProperties, ClusterShares>;

/** Pixels within which points become one cluster. */
const radius = 42;
const deepest = 16;

/** Returns an index of points. `classOf` says what a point is coloured by. */
export function indexPoints(
  points: readonly ListingPoint[],
  classOf: (point: ListingPoint) => string,
): ClusterIndex {
  const index: ClusterIndex = new Supercluster<PointProperties, ClusterShares>({
    radius,
    extent: 256,
    maxZoom: deepest,
    map: ({ point }) => ({ shares: { [classOf(point)]: 1 } }),
    reduce: (into, more) => {
      // One object belongs to several clusters, so it is never changed.
      const shares = { ...into.shares };
      for (const [name, count] of Object.entries(more.shares)) shares[name] = (shares[name] ?? 0) + count;
      into.shares = shares;
    },
  });
  index.load(
    points.map((point) => ({
      type: "Feature",
      geometry: { type: "Point", coordinates: [...point.place] },
      properties: { point },
    })),
  );
  return index;
}

export const byStatus = ({ status }: ListingPoint): string => statusClass(status);
export const bySeen = ({ seenBy }: ListingPoint): string => seenBy;

/** Returns the marks inside of a box at a zoom level. */
export function marksIn(
  index: ClusterIndex,
  box: [west: number, south: number, east: number, north: number],
  zoom: number,
  classOf: (point: ListingPoint) => string,
): readonly Mark[] {
  const level = Math.max(0, Math.min(Math.floor(zoom), deepest + 1));
  return index.getClusters(box, level).map(({ geometry, properties }) => {
    const [longitude = 0, latitude = 0] = geometry.coordinates;
    if ("cluster" in properties) {
      const { point_count: count, cluster_id: clusterId, shares } = properties;
      return { longitude, latitude, count, shares, point: undefined, clusterId };
    }
    const { point } = properties;
    return { longitude, latitude, count: 1, shares: { [classOf(point)]: 1 }, point, clusterId: undefined };
  });
}
