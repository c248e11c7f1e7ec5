import type { Position } from "../syntax/tree.ts";
import { type Ring, ringOf, sideOf } from "./ring.ts";
import { unitVector } from "./vector.ts";

/** The outline of a polygon, followed by its holes. */
export type Rings = readonly (readonly Position[])[];

/** Cache of prepared rings, for polygons that are used repeatedly, such as the constants of a query. */
const prepared = new WeakMap<Rings, readonly (Ring | null)[]>();

/**
 * Prepares the rings of a polygon. An entry is null if the ring has an invalid position, or an edge between
 * antipodes.
 */
export function ringsOf(polygon: Rings): readonly (Ring | null)[] {
  const known = prepared.get(polygon);
  if (known !== undefined) return known;
  const rings = polygon.map(ringOf);
  prepared.set(polygon, rings);
  return rings;
}

/**
 * True if a point is inside a polygon or on its boundary. Edges are great circles; positions are longitudes and
 * latitudes. A ring encloses the smaller of its two sides, whatever its orientation. The first ring is the outline,
 * the others are holes. Null if a position is invalid, or an edge joins antipodes.
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
