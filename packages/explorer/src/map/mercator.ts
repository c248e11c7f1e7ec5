import type { LonLat } from "../query/area-terms.ts";

/** A place on the screen, in CSS pixels. */
export type ScreenPoint = readonly [x: number, y: number];

/** Place of the world on the screen: `k` is its width in pixels, `x` and `y` its upper left corner. */
export type MapTransform = { readonly k: number; readonly x: number; readonly y: number };

/** Returns the place in a Mercator world of width and height 1. */
function toWorld([longitude, latitude]: LonLat): ScreenPoint {
  const sine = Math.sin((latitude * Math.PI) / 180);
  return [longitude / 360 + 0.5, 0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI)];
}

function toLonLat([x, y]: ScreenPoint): LonLat {
  const latitude = (Math.atan(Math.sinh(Math.PI * (1 - 2 * y))) * 180) / Math.PI;
  return [(x - 0.5) * 360, latitude];
}

export function toScreen(place: LonLat, { k, x, y }: MapTransform): ScreenPoint {
  const [worldX, worldY] = toWorld(place);
  return [worldX * k + x, worldY * k + y];
}

export function fromScreen([screenX, screenY]: ScreenPoint, { k, x, y }: MapTransform): LonLat {
  return toLonLat([(screenX - x) / k, (screenY - y) / k]);
}

/** Zoom level as tiles count it: 0 is the world on 256 pixels. */
export const zoomLevel = ({ k }: MapTransform): number => Math.log2(k / 256);

/** Returns the transform that shows a box in the middle of a screen, with a margin in pixels. */
export function fitBox(
  southWest: LonLat,
  northEast: LonLat,
  [width, height]: ScreenPoint,
  margin: number,
): MapTransform {
  const [left, bottom] = toWorld(southWest);
  const [right, top] = toWorld(northEast);
  // A single place has no size: a neighbourhood is shown.
  const across = Math.max(right - left, 1e-4);
  const down = Math.max(bottom - top, 1e-4);
  const k = Math.min(Math.max(width - 2 * margin, 50) / across, Math.max(height - 2 * margin, 50) / down);
  return { k, x: width / 2 - (k * (left + right)) / 2, y: height / 2 - (k * (top + bottom)) / 2 };
}
