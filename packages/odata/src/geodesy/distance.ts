import { createRequire } from "node:module";
import type { Position } from "../syntax/tree.ts";

type Geodesy = typeof import("geographiclib-geodesic");

const require = createRequire(import.meta.url);
let loaded: Geodesy | undefined;

function ellipsoid() {
  loaded ??= require("geographiclib-geodesic") as Geodesy;
  return loaded.Geodesic.WGS84;
}

/** Metres between two positions along the shortest line on the WGS 84 ellipsoid; null if one is no place. */
export function distance(from: Position, to: Position): number | null {
  const [longitude1 = Number.NaN, latitude1 = Number.NaN] = from;
  const [longitude2 = Number.NaN, latitude2 = Number.NaN] = to;
  const { s12 } = ellipsoid().Inverse(latitude1, longitude1, latitude2, longitude2);
  return s12 === undefined || Number.isNaN(s12) ? null : s12;
}

/** Metres along a line whose edges are shortest lines on the WGS 84 ellipsoid; null if a position is no place. */
export function lineLength(line: readonly Position[]): number | null {
  let total = 0;
  for (const [i, to] of line.entries()) {
    // The first position has no way to it, but must be a place.
    const metres = distance(line[i - 1] ?? to, to);
    if (metres === null) return null;
    total += metres;
  }
  return total;
}
