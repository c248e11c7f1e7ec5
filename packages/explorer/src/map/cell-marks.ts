import { isRecord, type JsonObject } from "../api/json.ts";
import type { Mark } from "./clusters.ts";

/** Returns the mark of a cell, in its middle. */
function markOf(cell: JsonObject): Mark {
  const [west = 0, south = 0, east = 0, north = 0] = ["west", "south", "east", "north"].map((edge) =>
    Number(cell[edge]),
  );
  const count = Number(cell["count"]);
  return {
    longitude: (west + east) / 2,
    latitude: (south + north) / 2,
    count,
    shares: { cell: count },
    point: undefined,
    clusterId: undefined,
    cell: [
      [west, south],
      [east, north],
    ],
  };
}

/** Reads the answer of `/v1/map-grid`. Cells with too few listings have no mark. */
export function marksOfCells(body: unknown): readonly Mark[] {
  const data = isRecord(body) && isRecord(body["data"]) ? body["data"] : {};
  const cells = Array.isArray(data["cells"]) ? data["cells"].filter(isRecord) : [];
  return cells.filter(({ suppressed }) => suppressed !== true).map(markOf);
}
