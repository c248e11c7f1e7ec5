import { type Box, boxesOf } from "./box.ts";
import { type Rings, ringsOf } from "./polygon.ts";
import { type Ring, type RingEdge, sideOf } from "./ring.ts";
import { cross, dot, norm, scale, type Vector } from "./vector.ts";

const degree = 180 / Math.PI;

const north: Vector = [0, 0, 1];
const south: Vector = [0, 0, -1];

const latitudeOf = ([x, y, z]: Vector): number => Math.atan2(z, Math.hypot(x, y)) * degree;

/**
 * Returns bounding boxes that contain every point of a polygon. Null if the polygon may contain points anywhere,
 * empty if it contains none.
 */
export function boxesOfPolygon(polygon: Rings): readonly Box[] | null {
  const rings = ringsOf(polygon);
  const [outline] = rings;
  if (outline === undefined || outline === null || rings.includes(null)) return [];
  const [atNorth, atSouth] = [north, south].map((pole) => sideOf(outline, pole) !== "outside");
  if (atNorth && atSouth) return null;
  const latitudes = outline.edges.flatMap(latitudesOf);
  const bottom = atSouth ? -90 : latitudes.reduce((least, one) => Math.min(least, one), 90);
  const top = atNorth ? 90 : latitudes.reduce((most, one) => Math.max(most, one), -90);
  const [west, east] = longitudesOf(outline);
  return boxesOf(west, bottom, east, top);
}

/**
 * Returns the latitudes of an edge's ends, and of its extreme points, because a great circle bends towards the
 * poles.
 */
function latitudesOf({ from, to, left }: RingEdge): readonly number[] {
  const ends = [latitudeOf(from), latitudeOf(to)];
  const size = norm(left);
  if (size === 0) return ends;
  const axis = scale(left, 1 / size);
  const [a, b] = [cross(axis, from), cross(to, axis)];
  const peak: Vector = [-axis[2] * axis[0], -axis[2] * axis[1], 1 - axis[2] * axis[2]];
  const peaks = [peak, scale(peak, -1)].filter((one) => dot(a, one) > -1e-9 && dot(b, one) > -1e-9);
  return [...ends, ...peaks.map(latitudeOf)];
}

/** Returns the westernmost and easternmost longitudes along the ring; a full circle if the ring encloses a pole. */
function longitudesOf({ edges }: Ring): readonly [west: number, east: number] {
  const [first] = edges;
  const start = first === undefined ? 0 : Math.atan2(first.from[1], first.from[0]) * degree;
  let [at, west, east] = [start, start, start];
  for (const { from, to } of edges) {
    at += Math.atan2(from[0] * to[1] - from[1] * to[0], from[0] * to[0] + from[1] * to[1]) * degree;
    west = Math.min(west, at);
    east = Math.max(east, at);
  }
  return Math.abs(at - start) > 180 ? [start - 180, start + 180] : [west, east];
}
