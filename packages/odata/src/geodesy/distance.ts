import type { Position } from "../syntax/tree.ts";
import { loadGeographicLib } from "./geographiclib.ts";

/**
 * Returns the distance in metres between two positions, along the geodesic on the WGS 84 ellipsoid; null if a
 * position is invalid.
 */
export function distance(from: Position, to: Position): number | null {
  const [longitude1 = Number.NaN, latitude1 = Number.NaN] = from;
  const [longitude2 = Number.NaN, latitude2 = Number.NaN] = to;
  const { s12 } = loadGeographicLib().Geodesic.WGS84.Inverse(latitude1, longitude1, latitude2, longitude2);
  return s12 === undefined || Number.isNaN(s12) ? null : s12;
}

/**
 * Returns the length in metres of a line whose edges are geodesics on the WGS 84 ellipsoid; null if a position is
 * invalid.
 */
export function lineLength(line: readonly Position[]): number | null {
  let total = 0;
  for (const [i, to] of line.entries()) {
    // The first position adds no length, but is still checked.
    const metres = distance(line[i - 1] ?? to, to);
    if (metres === null) return null;
    total += metres;
  }
  return total;
}
