import { expect, test } from "vitest";
import { marksOfCells } from "../src/map/cell-marks.ts";

test("cells of the service become marks in their middles, without those of too few", () => {
  const edges = { west: -98, south: 30, east: -97, north: 31 };
  const cells = [
    { ...edges, count: 214, suppressed: false },
    { ...edges, count: 0, suppressed: true },
  ];
  expect(marksOfCells({ data: { cells } })).toEqual([
    {
      longitude: -97.5,
      latitude: 30.5,
      count: 214,
      shares: { cell: 214 },
      point: undefined,
      clusterId: undefined,
      cell: [
        [-98, 30],
        [-97, 31],
      ],
    },
  ]);
});
