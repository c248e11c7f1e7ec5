import { geoCircle, geoMercator, geoPath } from "d3-geo";
import type { Polygon } from "geojson";
import type { Area, LonLat } from "../query/area-terms.ts";
import { formatShort } from "../table/format.ts";
import type { Mark } from "./clusters.ts";
import type { MapColours } from "./map-colours.ts";
import { type MapTransform, type ScreenPoint, toScreen, zoomLevel } from "./mercator.ts";
import { countyOutlines, outlineWorld, stateOutlines } from "./outlines.ts";

/** Content of a frame of the map. */
export type Scene = {
  readonly size: ScreenPoint;
  readonly transform: MapTransform;
  readonly marks: readonly Mark[];
  readonly area: Area | undefined;
  /** Corners of a polygon that is being drawn. */
  readonly corners: readonly LonLat[];
  readonly openKey: string;
  readonly hovered: Mark | undefined;
};

/** Zoom levels from which counties, their names, and prices are shown. */
export const countyZoom = 6.2;
const countyNameZoom = 8.6;
const priceZoom = 12.5;

const font = "system-ui, sans-serif";
const metresOfDegree = 111_195;

function paintOutlines(context: CanvasRenderingContext2D, scene: Scene, colours: MapColours): void {
  const { transform } = scene;
  const scale = transform.k / outlineWorld;
  context.save();
  context.translate(transform.x, transform.y);
  context.scale(scale, scale);
  const states = stateOutlines.value;
  if (states !== undefined) {
    context.fillStyle = colours.land;
    context.fill(states.land);
  }
  const counties = countyOutlines.value;
  if (counties !== undefined && zoomLevel(transform) > countyZoom) {
    context.lineWidth = 0.8 / scale;
    context.strokeStyle = colours.county;
    context.stroke(counties.borders);
  }
  if (states !== undefined) {
    context.lineWidth = 1.1 / scale;
    context.lineJoin = "round";
    context.strokeStyle = colours.border;
    context.stroke(states.borders);
  }
  context.restore();
}

function paintLabels(context: CanvasRenderingContext2D, scene: Scene, colours: MapColours): void {
  const zoom = zoomLevel(scene.transform);
  const labels = zoom > countyNameZoom ? countyOutlines.value?.labels : stateOutlines.value?.labels;
  if (labels === undefined || zoom < 4.2) return;
  context.font = `500 ${zoom > countyNameZoom ? 12 : 13}px ${font}`;
  context.fillStyle = colours.label;
  context.textAlign = "center";
  context.textBaseline = "middle";
  const [width, height] = scene.size;
  const painted: { readonly x: number; readonly y: number; readonly half: number }[] = [];
  for (const { name, place } of labels) {
    const [x, y] = toScreen(place, scene.transform);
    if (x < -50 || y < -20 || x > width + 50 || y > height + 20) continue;
    const half = context.measureText(name).width / 2 + 4;
    // A name that would lie on another one is left out.
    if (painted.some((one) => Math.abs(one.y - y) < 16 && Math.abs(one.x - x) < one.half + half)) continue;
    painted.push({ x, y, half });
    context.fillText(name, x, y);
  }
}

/** Returns the polygon of an area. A rectangle follows its parallels, any other edge a great circle. */
function shapeOf(area: Area): Polygon {
  switch (area.kind) {
    case "circle":
      return geoCircle()
        .center([...area.center])
        .radius(area.metres / metresOfDegree)();
    case "polygon":
      return {
        type: "Polygon",
        coordinates: [[...area.corners, ...area.corners.slice(0, 1)].map((corner) => [...corner])],
      };
    case "rectangle": {
      const [west, south] = area.southWest;
      const [east, north] = area.northEast;
      const steps = Array.from({ length: 33 }, (_, step) => west + ((east - west) * step) / 32);
      const upper = steps.map((longitude) => [longitude, north]);
      const lower = steps.toReversed().map((longitude) => [longitude, south]);
      return { type: "Polygon", coordinates: [[...upper, ...lower, [west, north]]] };
    }
  }
}

function paintArea(context: CanvasRenderingContext2D, scene: Scene, colours: MapColours): void {
  const { k, x, y } = scene.transform;
  const projection = geoMercator()
    .scale(k / (2 * Math.PI))
    .translate([x + k / 2, y + k / 2]);
  const path = geoPath(projection, context);
  context.strokeStyle = colours.area;
  context.fillStyle = colours.area;
  context.lineWidth = 2;
  if (scene.area !== undefined) {
    const [ring = []] = shapeOf(scene.area).coordinates;
    context.beginPath();
    path({ type: "LineString", coordinates: ring });
    context.closePath();
    context.globalAlpha = 0.1;
    context.fill();
    context.globalAlpha = 1;
    context.stroke();
  }
  if (scene.corners.length > 0) {
    context.beginPath();
    path({ type: "LineString", coordinates: scene.corners.map((corner) => [...corner]) });
    context.setLineDash([5, 4]);
    context.stroke();
    context.setLineDash([]);
    for (const corner of scene.corners.slice(0, -1)) {
      const [cornerX, cornerY] = toScreen(corner, scene.transform);
      context.beginPath();
      context.arc(cornerX, cornerY, 4, 0, 2 * Math.PI);
      context.fill();
    }
  }
}

/** Radius of a mark, in pixels: area by the logarithm of its count. */
export const radiusOf = ({ count }: Pick<Mark, "count">): number =>
  count === 1 ? 6 : 11 + 4.6 * Math.log10(count);

function paintCluster(context: CanvasRenderingContext2D, mark: Mark, at: ScreenPoint, colours: MapColours) {
  const [x, y] = at;
  const radius = radiusOf(mark);
  context.beginPath();
  context.arc(x, y, radius + 2, 0, 2 * Math.PI);
  context.fillStyle = colours.surface;
  context.fill();
  let from = -Math.PI / 2;
  context.lineWidth = 4.5;
  for (const [name, colour] of Object.entries(colours.marks)) {
    const share = (mark.shares[name] ?? 0) / mark.count;
    if (share === 0) continue;
    const to = from + share * 2 * Math.PI;
    context.beginPath();
    context.arc(x, y, radius - 1, from, to);
    context.strokeStyle = colour;
    context.stroke();
    from = to;
  }
  context.font = `600 ${radius > 19 ? 12 : 11}px ${font}`;
  context.fillStyle = colours.text;
  context.textAlign = "center";
  context.textBaseline = "middle";
  context.fillText(mark.count < 10_000 ? String(mark.count) : formatShort(mark.count), x, y + 0.5);
}

/** Cells of this count and more have the full colour. */
const darkestCount = 3000;

function paintCell(
  context: CanvasRenderingContext2D,
  mark: Mark,
  [southWest, northEast]: NonNullable<Mark["cell"]>,
  scene: Scene,
  colours: MapColours,
) {
  const [left, bottom] = toScreen(southWest, scene.transform);
  const [right, top] = toScreen(northEast, scene.transform);
  context.globalAlpha = 0.2 + 0.7 * Math.min(Math.log(mark.count) / Math.log(darkestCount), 1);
  context.fillStyle = colours.marks["cell"] ?? colours.area;
  context.fillRect(left + 0.5, top + 0.5, right - left - 1, bottom - top - 1);
  context.globalAlpha = 1;
  const text = mark.count < 10_000 ? String(mark.count) : formatShort(mark.count);
  context.font = `600 11px ${font}`;
  if (context.measureText(text).width + 6 > right - left) return;
  context.fillStyle = colours.text;
  context.textAlign = "center";
  context.textBaseline = "middle";
  context.fillText(text, (left + right) / 2, (top + bottom) / 2);
}

function paintPoint(
  context: CanvasRenderingContext2D,
  mark: Mark,
  at: ScreenPoint,
  scene: Scene,
  colours: MapColours,
) {
  const [x, y] = at;
  const { point } = mark;
  const colour = colours.marks[Object.keys(mark.shares)[0] ?? ""] ?? colours.area;
  const isOpen = point !== undefined && point.key === scene.openKey;
  const isLarge = isOpen || mark === scene.hovered;
  if (point?.price !== undefined && zoomLevel(scene.transform) > priceZoom) {
    const text = `$${formatShort(point.price)}`;
    context.font = `600 12px ${font}`;
    const width = context.measureText(text).width + 14;
    context.beginPath();
    context.roundRect(x - width / 2, y - 11, width, 22, 11);
    context.fillStyle = isLarge ? colour : colours.surface;
    context.fill();
    context.lineWidth = 1.8;
    context.strokeStyle = colour;
    context.stroke();
    context.fillStyle = isLarge ? colours.surface : colours.text;
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.fillText(text, x, y + 0.5);
    return;
  }
  context.beginPath();
  context.arc(x, y, isLarge ? 8 : 5.5, 0, 2 * Math.PI);
  context.fillStyle = colour;
  context.fill();
  context.lineWidth = isLarge ? 3 : 1.6;
  context.strokeStyle = colours.surface;
  context.stroke();
}

/** Joins the two places of a record that two keys see at different ones. */
function paintOtherPlace(
  context: CanvasRenderingContext2D,
  { point }: Mark,
  [x, y]: ScreenPoint,
  scene: Scene,
  colours: MapColours,
) {
  if (point?.otherPlace === undefined) return;
  const [otherX, otherY] = toScreen(point.otherPlace, scene.transform);
  context.beginPath();
  context.moveTo(x, y);
  context.lineTo(otherX, otherY);
  context.lineWidth = 1;
  context.strokeStyle = colours.label;
  context.stroke();
}

/** Paints one frame. */
export function paint(context: CanvasRenderingContext2D, scene: Scene, colours: MapColours): void {
  const [width, height] = scene.size;
  context.fillStyle = colours.water;
  context.fillRect(0, 0, width, height);
  paintOutlines(context, scene, colours);
  paintLabels(context, scene, colours);
  paintArea(context, scene, colours);
  const placeOf = (mark: Mark) => toScreen([mark.longitude, mark.latitude], scene.transform);
  for (const mark of scene.marks) paintOtherPlace(context, mark, placeOf(mark), scene, colours);
  for (const mark of scene.marks) {
    const at = placeOf(mark);
    if (mark.cell !== undefined) paintCell(context, mark, mark.cell, scene, colours);
    else if (mark.point === undefined) paintCluster(context, mark, at, colours);
    else paintPoint(context, mark, at, scene, colours);
  }
}
