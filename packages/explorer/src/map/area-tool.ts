import { geoDistance } from "d3-geo";
import type { Area, LonLat } from "../query/area-terms.ts";

export const toolNames = ["rectangle", "circle", "polygon"] as const;
export type ToolName = (typeof toolNames)[number];

/** An area while it is drawn. */
export type Drawing = {
  readonly tool: ToolName;
  /** Point at which the pointer went down, or the corners of a polygon so far. */
  readonly corners: readonly LonLat[];
  readonly pointer: LonLat | undefined;
};

/** Radius of the earth in metres, as a sphere: the service measures on the ellipsoid, which differs by less than half a percent. */
const earthRadius = 6_371_009;

const metresBetween = (a: LonLat, b: LonLat): number => geoDistance([...a], [...b]) * earthRadius;

function rectangleOf(a: LonLat, b: LonLat): Area {
  return {
    kind: "rectangle",
    southWest: [Math.min(a[0], b[0]), Math.min(a[1], b[1])],
    northEast: [Math.max(a[0], b[0]), Math.max(a[1], b[1])],
  };
}

/** Returns the area that a drawing is of. Undefined: it is not one yet. */
export function drawnArea({ tool, corners, pointer }: Drawing): Area | undefined {
  const start = corners[0];
  if (start === undefined) return undefined;
  if (tool === "polygon") return corners.length < 3 ? undefined : { kind: "polygon", corners };
  if (pointer === undefined) return undefined;
  if (tool === "rectangle") return rectangleOf(start, pointer);
  return { kind: "circle", center: start, metres: metresBetween(start, pointer) };
}
