import { effect, type Signal, signal } from "@preact/signals";
import { select } from "d3-selection";
import { type D3ZoomEvent, type ZoomBehavior, zoom, zoomIdentity } from "d3-zoom";
import { address } from "../address/current-address.ts";
import { areaOf, boxOfArea } from "../query/area-terms.ts";
import { secondKey } from "../session/api-keys.ts";
import { theme } from "../theme/theme.ts";
import { type Drawing, drawnArea } from "./area-tool.ts";
import { bySeen, byStatus, indexPoints, type Mark, marksIn } from "./clusters.ts";
import { countedCells, type MapWindow, mapWindow } from "./counted-cells.ts";
import { listingPoints } from "./listing-points.ts";
import { readMapColours } from "./map-colours.ts";
import { fitBox, fromScreen, type MapTransform, type ScreenPoint, toScreen, zoomLevel } from "./mercator.ts";
import type { ListingPoint } from "./merged-points.ts";
import { countyOutlines, loadOutlines, stateOutlines } from "./outlines.ts";
import { countyZoom, paint, radiusOf } from "./paint.ts";

const tileSize = 256;
/** The lower 48 states, which the map begins with. */
const startBox = [
  [-124.8, 24.4],
  [-66.9, 49.4],
] as const;

/** A map on a canvas, and what the page does with it. */
export type MapCanvas = {
  readonly markAt: (at: ScreenPoint) => Mark | undefined;
  readonly placeAt: (at: ScreenPoint) => readonly [number, number];
  readonly screenOf: (mark: Mark) => ScreenPoint;
  /** Zooms so that a cluster falls apart. */
  readonly open: (mark: Mark) => void;
  readonly zoomBy: (factor: number) => void;
  readonly panBy: (x: number, y: number) => void;
  /** Shows all points. */
  readonly fit: () => void;
  readonly dispose: () => void;
};

type Extremes = readonly [readonly [number, number], readonly [number, number]];

/** Returns the box of most points: the outermost hundredth on each side is left out, since one far away would hide the rest. */
function boxOf(points: readonly ListingPoint[]): Extremes {
  if (points.length === 0) return startBox;
  const inner = (axis: 0 | 1): readonly [number, number] => {
    const sorted = points.map(({ place }) => place[axis]).toSorted((a, b) => a - b);
    const left = Math.floor((sorted.length - 1) * 0.005);
    return [sorted[left] ?? 0, sorted[sorted.length - 1 - left] ?? 0];
  };
  const [west, east] = inner(0);
  const [south, north] = inner(1);
  return [
    [west, south],
    [east, north],
  ];
}

/** Width of a cell that listings are counted in, in pixels. */
const cellSize = 26;

const windowOf = (
  [west, south, east, north]: readonly [number, number, number, number],
  pixels: number,
): MapWindow => ({
  west,
  south,
  east,
  north,
  cells: Math.min(Math.max(Math.ceil(pixels / cellSize), 4), 96),
});

export function createMapCanvas(
  canvas: HTMLCanvasElement,
  drawing: Signal<Drawing | undefined>,
  hovered: Signal<Mark | undefined>,
): MapCanvas {
  const context = canvas.getContext("2d", { alpha: false });
  if (context === null) throw new Error("the browser gives no canvas to draw on");
  const transform = signal<MapTransform>({ k: tileSize * 16, x: 0, y: 0 });
  const size = signal<ScreenPoint>([canvas.clientWidth, canvas.clientHeight]);
  let marks: readonly Mark[] = [];

  const classOf = () => (secondKey.value === undefined ? byStatus : bySeen);
  const index = signal(indexPoints([], byStatus));
  const stopIndexing = effect(() => {
    index.value = indexPoints(listingPoints.value.points, classOf());
  });

  const behavior: ZoomBehavior<HTMLCanvasElement, unknown> = zoom<HTMLCanvasElement, unknown>()
    .scaleExtent([tileSize * 4, tileSize * 2 ** 18])
    .clickDistance(4)
    .filter((event: Event) => {
      if (event.type === "wheel") return true;
      return drawing.peek() === undefined && !(event instanceof MouseEvent && event.button !== 0);
    })
    .on("zoom", ({ transform: { k, x, y } }: D3ZoomEvent<HTMLCanvasElement, unknown>) => {
      transform.value = { k, x, y };
      hovered.value = undefined;
    });
  const selection = select(canvas).call(behavior).on("dblclick.zoom", null);

  const moveTo = ({ k, x, y }: MapTransform) =>
    behavior.transform(selection, zoomIdentity.translate(x, y).scale(k));
  const fitTo = ([southWest, northEast]: Extremes) => moveTo(fitBox(southWest, northEast, size.peek(), 48));

  /** The area of the filter, else its points. */
  const shownBox = (): Extremes => {
    const area = areaOf(address.peek().filter);
    return area === undefined ? boxOf(listingPoints.peek().points) : boxOfArea(area);
  };

  const observer = new ResizeObserver(() => {
    const before = size.peek();
    size.value = [canvas.clientWidth, canvas.clientHeight];
    if (before[0] === 0 || before[1] === 0) fitTo(shownBox());
  });
  observer.observe(canvas);
  fitTo(startBox);

  // A new query whose points are out of sight, or close together, moves the map to them.
  let fitted: string | undefined;
  const stopFitting = effect(() => {
    const { points, isLoading, asCells } = listingPoints.value;
    const { filter } = address.value;
    if (isLoading || (points.length === 0 && !asCells) || fitted === filter) return;
    fitted = filter;
    fitTo(shownBox());
  });

  loadOutlines("states");
  let frame = 0;
  const stopPainting = effect(() => {
    const [width, height] = size.value;
    const now = transform.value;
    if (zoomLevel(now) > countyZoom) loadOutlines("counties");
    const inProgress = drawing.value;
    const scene = {
      size: size.value,
      transform: now,
      area: (inProgress && drawnArea(inProgress)) ?? areaOf(address.value.filter),
      corners:
        inProgress?.tool === "polygon"
          ? [...inProgress.corners, ...(inProgress.pointer === undefined ? [] : [inProgress.pointer])]
          : [],
      openKey: address.value.record,
      hovered: hovered.value,
    };
    const points = index.value;
    const shade = classOf();
    const cells = listingPoints.value.asCells ? (countedCells.value.value ?? []) : undefined;
    void [stateOutlines.value, countyOutlines.value, theme.value];
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(() => {
      const ratio = devicePixelRatio;
      if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
        canvas.width = Math.round(width * ratio);
        canvas.height = Math.round(height * ratio);
      }
      const [west, north] = fromScreen([-40, -40], now);
      const [east, south] = fromScreen([width + 40, height + 40], now);
      const box = [
        Math.max(west, -180),
        Math.max(south, -85),
        Math.min(east, 180),
        Math.min(north, 85),
      ] as const;
      marks = cells ?? marksIn(points, [...box], zoomLevel(now), shade);
      const shown = windowOf(box, Math.max(width, height));
      // A painting that changes nothing asks for nothing.
      if (JSON.stringify(shown) !== JSON.stringify(mapWindow.peek())) mapWindow.value = shown;
      context.setTransform(ratio, 0, 0, ratio, 0, 0);
      paint(context, { ...scene, marks }, readMapColours(canvas));
    });
  });

  const screenOf = ({ longitude, latitude }: Mark) => toScreen([longitude, latitude], transform.peek());

  return {
    screenOf,
    placeAt: (at) => fromScreen(at, transform.peek()),
    markAt: ([x, y]) =>
      marks.findLast((mark) => {
        const [markX, markY] = screenOf(mark);
        return Math.hypot(markX - x, markY - y) <= radiusOf(mark) + 4;
      }),
    open: (mark) => {
      const zoomTo = mark.clusterId === undefined ? 0 : index.peek().getClusterExpansionZoom(mark.clusterId);
      const [width, height] = size.peek();
      const k = tileSize * 2 ** Math.max(zoomTo + 0.2, zoomLevel(transform.peek()) + 1.5);
      const [x, y] = toScreen([mark.longitude, mark.latitude], { k, x: 0, y: 0 });
      moveTo({ k, x: width / 2 - x, y: height / 2 - y });
    },
    zoomBy: (factor) => behavior.scaleBy(selection, factor),
    panBy: (x, y) => {
      const { k } = transform.peek();
      behavior.translateBy(selection, x / k, y / k);
    },
    fit: () => fitTo(shownBox()),
    dispose: () => {
      mapWindow.value = undefined;
      observer.disconnect();
      for (const stop of [stopIndexing, stopFitting, stopPainting]) stop();
      cancelAnimationFrame(frame);
      selection.on(".zoom", null);
    },
  };
}
