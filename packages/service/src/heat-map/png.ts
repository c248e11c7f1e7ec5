import { PNG } from "pngjs";
import { colorOf } from "./color.ts";
import type { HeatMap } from "./heat-map.ts";

/** Pixels of a cell, and between two markets. */
const [cellWidth, cellHeight, gap] = [2, 40, 4];

/** The map as a picture without words: markets from top to bottom, fields from left to right. */
export function heatMapPng({ markets, fields }: HeatMap): Buffer {
  const width = Math.max(1, fields.length * cellWidth);
  const height = Math.max(1, markets.length * (cellHeight + gap) - gap);
  const picture = new PNG({ width, height, colorType: 2 });
  picture.data.fill(0xff);
  for (const [column, { shares }] of fields.entries())
    for (const [row, share] of shares.entries()) {
      const color = colorOf(share);
      for (let y = row * (cellHeight + gap); y < row * (cellHeight + gap) + cellHeight; y++)
        for (let x = column * cellWidth; x < (column + 1) * cellWidth; x++)
          picture.data.set(color, 4 * (y * width + x));
    }
  return PNG.sync.write(picture, { colorType: 2 });
}
