import type { Position } from "../syntax/tree.ts";
import { type Ring, ringOf, sideOf } from "./ring.ts";
import { unitVector } from "./vector.ts";

/** The outline of a polygon, then its holes. */
export type Rings = readonly (readonly Position[])[];

/** The rings of polygons that live on, such as the constants of a query. */
const prepared = new WeakMap<Rings, readonly (Ring | null)[]>();

/** Null where a ring has a place that is none, or an edge between antipodes. */
export function ringsOf(polygon: Rings): readonly (Ring | null)[] {
  const known = prepared.get(polygon);
  if (known !== undefined) return known;
  const rings = polygon.map(ringOf);
  prepared.set(polygon, rings);
  return rings;
}

/**
 * Whether a point is inside of a polygon or on its boundary. Edges are great circles, of places by longitude
 * and latitude; a ring encloses the smaller of its two sides, whichever way it runs. The first ring is the
 * outline and the others are holes. Null if a position is no place, or an edge joins antipodes.
 */
export function containsPoint(polygon: Rings, position: Position): boolean | null {
  const point = unitVector(position);
  const [outline, ...holes] = ringsOf(polygon);
  if (point === null || outline === undefined || outline === null) return null;
  let inside = sideOf(outline, point) !== "outside";
  for (const hole of holes) {
    if (hole === null) return null;
    if (inside && sideOf(hole, point) === "inside") inside = false;
  }
  return inside;
}
