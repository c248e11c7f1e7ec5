import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { address, go } from "../address/current-address.ts";
import { areaOf, withArea } from "../query/area-terms.ts";
import { shownSet } from "../query/current-query.ts";
import { secondKey } from "../session/api-keys.ts";
import { formatCount } from "../table/format.ts";
import { type Drawing, drawnArea, type ToolName } from "./area-tool.ts";
import type { Mark } from "./clusters.ts";
import { listingPoints, mapIsShown, placeFields } from "./listing-points.ts";
import "./map.css";
import { createMapCanvas, type MapCanvas } from "./map-canvas.ts";
import { MapLegend } from "./map-legend.tsx";
import { MapTools } from "./map-tools.tsx";
import type { ScreenPoint } from "./mercator.ts";

const pointOf = (event: MouseEvent): ScreenPoint => [event.offsetX, event.offsetY];

const steps: Readonly<Record<string, readonly [x: number, y: number]>> = {
  ArrowLeft: [80, 0],
  ArrowRight: [-80, 0],
  ArrowUp: [0, 80],
  ArrowDown: [0, -80],
};

function HoverCard({ mark, at }: { readonly mark: Mark; readonly at: ScreenPoint }) {
  const { point } = mark;
  return (
    <div class="map-card" style={{ left: `${at[0]}px`, top: `${at[1]}px` }}>
      {point === undefined ? (
        <strong>
          {formatCount(mark.count)} {secondKey.value === undefined ? "records" : "places"}
        </strong>
      ) : (
        <>
          <strong>{point.price === undefined ? point.key : `$${formatCount(point.price)}`}</strong>
          <span>
            {[point.status, point.price === undefined ? "" : point.key].filter(Boolean).join(" · ")}
          </span>
        </>
      )}
    </div>
  );
}

function MapWithPlaces() {
  const canvas = useRef<HTMLCanvasElement>(null);
  const map = useRef<MapCanvas>(null);
  const drawing = useSignal<Drawing | undefined>(undefined);
  const hovered = useSignal<Mark | undefined>(undefined);

  useEffect(() => {
    if (canvas.current === null) return undefined;
    mapIsShown.value = true;
    const created = createMapCanvas(canvas.current, drawing, hovered);
    map.current = created;
    return () => {
      mapIsShown.value = false;
      map.current = null;
      created.dispose();
    };
  }, [drawing, hovered]);

  const finish = () => {
    const area = drawing.value && drawnArea(drawing.value);
    drawing.value = undefined;
    if (area !== undefined) go({ filter: withArea(address.value.filter, area) });
  };

  const onPointerDown = (event: PointerEvent) => {
    const current = drawing.value;
    if (current === undefined || current.tool === "polygon" || map.current === null) return;
    canvas.current?.setPointerCapture(event.pointerId);
    drawing.value = { ...current, corners: [map.current.placeAt(pointOf(event))] };
  };
  const onPointerMove = (event: PointerEvent) => {
    const current = drawing.value;
    const view = map.current;
    if (view === null) return;
    if (current !== undefined) drawing.value = { ...current, pointer: view.placeAt(pointOf(event)) };
    else if (event.buttons === 0) hovered.value = view.markAt(pointOf(event));
  };
  const onPointerUp = () => {
    const current = drawing.value;
    if (current !== undefined && current.tool !== "polygon" && current.pointer !== undefined) finish();
  };
  const onClick = (event: MouseEvent) => {
    const current = drawing.value;
    const view = map.current;
    if (view === null) return;
    if (current?.tool === "polygon") {
      drawing.value = { ...current, corners: [...current.corners, view.placeAt(pointOf(event))] };
      return;
    }
    const mark = view.markAt(pointOf(event));
    if (mark === undefined) return;
    if (mark.point === undefined) view.open(mark);
    else go({ record: mark.point.key });
    hovered.value = undefined;
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = steps[event.key];
    if (step !== undefined) map.current?.panBy(...step);
    else if (event.key === "+" || event.key === "=") map.current?.zoomBy(1.6);
    else if (event.key === "-") map.current?.zoomBy(1 / 1.6);
    else if (event.key === "0") map.current?.fit();
    else if (event.key === "Enter" && drawing.value?.tool === "polygon") finish();
    else if (event.key === "Escape" && drawing.value !== undefined) drawing.value = undefined;
    else return;
    event.preventDefault();
  };
  const choose = (tool: ToolName | undefined) => {
    drawing.value = tool && { tool, corners: [], pointer: undefined };
    canvas.current?.focus();
  };

  const { points, isLoading, count } = listingPoints.value;
  const mark = hovered.value;
  return (
    <>
      <canvas
        ref={canvas}
        class={`map-canvas ${drawing.value === undefined ? "" : "map-drawing"}`}
        role="img"
        tabIndex={0}
        aria-label={`Map with ${formatCount(points.length)} places of ${formatCount(count ?? 0)} records. Arrow keys move it, plus and minus zoom.`}
        aria-busy={isLoading}
        data-points={points.length}
        onPointerDown={onPointerDown}
        onPointerMove={onPointerMove}
        onPointerUp={onPointerUp}
        onPointerLeave={() => {
          hovered.value = undefined;
        }}
        onClick={onClick}
        onDblClick={finish}
        onKeyDown={onKeyDown}
      />
      {mark !== undefined && map.current !== null && (
        <HoverCard mark={mark} at={map.current.screenOf(mark)} />
      )}
      <MapTools
        tool={drawing.value?.tool}
        hasArea={areaOf(address.value.filter) !== undefined}
        canFinish={drawing.value?.tool === "polygon" && drawing.value.corners.length > 2}
        onChoose={choose}
        onFinish={finish}
        onClear={() => go({ filter: withArea(address.value.filter, undefined) })}
        onZoom={(factor) => map.current?.zoomBy(factor)}
        onFit={() => map.current?.fit()}
      />
      <MapLegend />
    </>
  );
}

/** Map of the query's records. */
export function MapView() {
  const set = shownSet.value;
  const hasPlaces = set !== undefined && placeFields(set) !== undefined;
  return (
    <section class="map" aria-label="Map">
      {set === undefined || hasPlaces ? (
        <MapWithPlaces />
      ) : (
        <div class="empty">
          <h2>No places to show</h2>
          <p>
            {set.name === "Property"
              ? "This key does not see where listings lie: its entitlement hides their coordinates. The table has the rest."
              : `${set.name} records have no place. Choose Property to see a map.`}
          </p>
        </div>
      )}
    </section>
  );
}
