import type { Position } from "../syntax/tree.ts";

/**
 * Bounding box in degrees, `west <= east` from -180 to 180 and `south <= north` from -90 to 90, including its
 * border.
 */
export type Box = {
  readonly west: number;
  readonly south: number;
  readonly east: number;
  readonly north: number;
};

const degree = 180 / Math.PI;

/** Margin added to a box, in degrees: a tenth of a millimetre on the ground. */
const margin = 1e-9;

/**
 * Returns boxes for a range of longitudes and latitudes, with a margin: two boxes if the range crosses the
 * antimeridian. If it reaches a pole, all longitudes are included. `west <= east`, but both may be outside -180 to
 * 180.
 */
export function boxesOf(west: number, south: number, east: number, north: number): readonly Box[] {
  const [bottom, top] = [Math.max(-90, south - margin), Math.min(90, north + margin)];
  const all = { west: -180, south: bottom, east: 180, north: top };
  const stretch = Math.cos(Math.max(Math.abs(bottom), Math.abs(top)) / degree);
  // The margin is a distance on the ground. A degree of longitude shrinks towards the pole, and to nothing at it.
  const [left, right] = [west - margin / stretch, east + margin / stretch];
  if (!(right - left < 360)) return [all];
  const turn = 360 * Math.floor((left + 180) / 360);
  const [from, to] = [left - turn, right - turn];
  if (to < 180) return [{ ...all, west: from, east: to }];
  return [
    { ...all, west: from },
    { ...all, east: to - 360 },
  ];
}

const flattening = 1 / 298.257223563;
const polarRadius = 6_378_137 * (1 - flattening);

/**
 * Returns bounding boxes that contain every place at most `metres` from `centre`, by the geodesic on the WGS 84
 * ellipsoid. Null if such places may be anywhere, empty if there are none.
 *
 * Reduced latitudes map the ellipsoid to a sphere with its polar radius, and no line becomes longer by that. So the
 * circle on that sphere contains the circle on the ellipsoid.
 */
export function boxesAround(centre: Position, metres: number): readonly Box[] | null {
  const [longitude = Number.NaN, latitude = Number.NaN] = centre;
  if (!Number.isFinite(longitude) || !(Math.abs(latitude) <= 90) || !(metres >= 0)) return [];
  // The margin exceeds the numerical error of a distance on any engine.
  const radius = (metres / polarRadius) * (1 + 1e-8) + 1e-10;
  if (!(radius < Math.PI)) return null;
  const reduced = Math.atan((1 - flattening) * Math.tan(latitude / degree));
  const [south, north] = [reduced - radius, reduced + radius].map(
    (beta) => Math.atan(Math.tan(clamped(beta)) / (1 - flattening)) * degree,
  ) as [number, number];
  const reach = Math.sin(radius) / Math.cos(reduced);
  const pole = Math.abs(reduced) + radius >= Math.PI / 2 || reach >= 1;
  const width = pole ? 180 : Math.asin(reach) * degree;
  const turned = longitude % 360;
  return boxesOf(turned - width, south, turned + width, north);
}

const clamped = (angle: number): number => Math.max(-Math.PI / 2, Math.min(Math.PI / 2, angle));
