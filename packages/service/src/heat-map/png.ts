import { colorOf } from "./color.ts";
import { type Caption, type HeatMap, listingsOf } from "./heat-map.ts";
import { lineHeight, Picture, widthOf } from "./picture.ts";

// Size of a cell, distance of two markets, and outer margin, in pixels.
const [cellWidth, cellHeight, gap, margin] = [1, 44, 12, 16];

/** Number of fields between two ticks. */
const step = 100;

// Size of the color scale, in pixels.
const [scaleWidth, scaleHeight] = [200, lineHeight];

/** Renders the map as a PNG: markets from top to bottom, fields from left to right. */
export function heatMapPng({ markets, fields }: HeatMap, { title, unknown }: Caption): Buffer {
  const labels = markets.map((market) => [market.name, listingsOf(market)] as const);
  const left = 2 * margin + Math.max(0, ...labels.flat().map(widthOf));
  const top = 2 * margin + lineHeight;
  const right = left + fields.length * cellWidth;
  const bottom = top + markets.length * (cellHeight + gap);
  const legend = bottom + 2 * margin + lineHeight;
  const words = left + scaleWidth + widthOf("0 %   100 %") + 4 * margin + scaleHeight;
  const width = margin + Math.max(right, words + widthOf(unknown), margin + widthOf(title));
  const picture = new Picture(width, legend + lineHeight + margin);

  picture.write(title, margin, margin);
  for (const [row, [name, listings]] of labels.entries()) {
    const y = top + row * (cellHeight + gap);
    picture.write(name, margin, y + 2);
    picture.write(listings, margin, y + cellHeight - lineHeight);
    for (const [column, { shares }] of fields.entries())
      picture.fill(
        { x: left + column * cellWidth, y, width: cellWidth, height: cellHeight },
        colorOf(shares[row] ?? null),
      );
  }

  picture.write("fields", margin, bottom + margin / 2);
  for (let field = step; field <= fields.length; field += step) {
    const x = left + field * cellWidth;
    picture.fill({ x, y: bottom - gap + 2, width: 2, height: margin / 2 }, [120, 120, 120]);
    picture.write(String(field), x - Math.round(widthOf(String(field)) / 2), bottom + margin / 2);
  }

  picture.write("0 %", left, legend);
  const scale = left + widthOf("0 %") + margin / 2;
  for (let x = 0; x < scaleWidth; x++)
    picture.fill({ x: scale + x, y: legend, width: 1, height: scaleHeight }, colorOf(x / (scaleWidth - 1)));
  picture.write("100 %", scale + scaleWidth + margin / 2, legend);
  picture.fill(
    { x: words - scaleHeight - margin / 2, y: legend, width: scaleHeight, height: scaleHeight },
    colorOf(null),
  );
  picture.write(unknown, words, legend);
  return picture.file();
}
