import { signal } from "@preact/signals";
import { address } from "../address/current-address.ts";
import { requestJson } from "../api/request.ts";
import { loaded } from "../query/loaded.ts";
import { firstKey } from "../session/api-keys.ts";
import { marksOfCells } from "./cell-marks.ts";
import { listingPoints } from "./listing-points.ts";

/** Edges of what the map shows, in degrees, and how many cells fit across. */
export type MapWindow = {
  readonly west: number;
  readonly south: number;
  readonly east: number;
  readonly north: number;
  readonly cells: number;
};

/** Content of the map. Undefined while there is none. */
export const mapWindow = signal<MapWindow | undefined>(undefined);

/** Milliseconds that the map must be still before cells are counted. */
const stillness = 150;

const wait = (milliseconds: number, abort: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds);
    abort.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(new DOMException("the map has moved", "AbortError"));
    });
  });

/** Marks of cells with their counts, where there are too many listings to show one by one. */
export const countedCells = loaded((abort) => {
  const shown = mapWindow.value;
  const apiKey = firstKey.value?.apiKey;
  const { filter } = address.value;
  if (!listingPoints.value.asCells || shown === undefined || apiKey === undefined) return undefined;
  const { west, south, east, north, cells } = shown;
  const query = [
    ...(filter === "" ? [] : [`filter=${encodeURIComponent(filter)}`]),
    `box=${[west, south, east, north].map((degrees) => degrees.toFixed(4)).join(",")}`,
    `cells=${cells}`,
  ];
  return wait(stillness, abort)
    .then(() => requestJson({ path: `v1/map-grid?${query.join("&")}`, apiKey, signal: abort }))
    .then(marksOfCells);
});
