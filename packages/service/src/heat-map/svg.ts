import { colorOf } from "./color.ts";
import { type Caption, type HeatMap, listingsOf, type MapField } from "./heat-map.ts";
import { escapeMarkup } from "./markup.ts";

// Sizes in pixels. A cell is one pixel wide.
const [cellHeight, rowHeight, margin, top, scaleWidth] = [44, 56, 16, 48, 200];

/** Width of a character of a label: an upper estimate, as the font is the reader's. */
const characterWidth = 8;

/** Number of fields between two ticks. */
const step = 100;

/** Renders the map as an SVG image: markets from top to bottom, fields from left to right. */
export function heatMapSvg({ markets, fields }: HeatMap, { title, unknown }: Caption): string {
  const labels = markets.map((market) => [market.name, listingsOf(market)] as const);
  const left = 2 * margin + characterWidth * Math.max(0, ...labels.flat().map(({ length }) => length));
  const width = left + Math.max(fields.length, 600) + margin;
  const bottom = top + markets.length * rowHeight;
  const legend = bottom + 44;
  const ticks = Array.from({ length: Math.floor(fields.length / step) }, (_, tick) => (tick + 1) * step);
  const rows = labels.map(([name, listings], row) => {
    const y = top + row * rowHeight;
    return `<text x="${margin}" y="${y + 18}">${escapeMarkup(name)}</text>
<text x="${margin}" y="${y + 36}">${listings}</text>
<rect x="${left}" y="${y}" width="${fields.length}" height="${cellHeight}" fill="${colorOf(0)}"/>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-labelledby="title description" width="${width}" height="${legend + 36}" viewBox="0 0 ${width} ${legend + 36}" font-family="system-ui, sans-serif" font-size="14" fill="#222">
<title id="title">${escapeMarkup(title)}</title>
<desc id="description">One row for each market, one column for each of ${fields.length} fields. The darker a cell, the more listings have a value.</desc>
<defs><linearGradient id="scale"><stop stop-color="${colorOf(0)}"/><stop offset="1" stop-color="${colorOf(1)}"/></linearGradient></defs>
<rect width="100%" height="100%" fill="#fff"/>
<text x="${margin}" y="28" font-size="16">${escapeMarkup(title)}</text>
${rows.join("\n")}
<g id="fields" transform="translate(${left} ${top})" shape-rendering="crispEdges">
${fields.map(columnOf).join("\n")}
</g>
<text x="${margin}" y="${bottom + 14}">fields</text>
<g text-anchor="middle">
${ticks.map((tick) => `<path d="M${left + tick} ${bottom - 10}v8" stroke="#777"/><text x="${left + tick}" y="${bottom + 14}">${tick}</text>`).join("\n")}
</g>
<text x="${left}" y="${legend + 14}">0 %</text>
<rect x="${left + 32}" y="${legend}" width="${scaleWidth}" height="18" fill="url(#scale)"/>
<text x="${left + 40 + scaleWidth}" y="${legend + 14}">100 %</text>
<rect x="${left + 120 + scaleWidth}" y="${legend}" width="18" height="18" fill="${colorOf(null)}"/>
<text x="${left + 146 + scaleWidth}" y="${legend + 14}">${escapeMarkup(unknown)}</text>
</svg>
`;
}

/** Renders the cells of a field. Cells in the color of the background are left out, which halves the file. */
function columnOf({ name, shares }: MapField, column: number): string {
  const cells = shares.map((share, row) =>
    colorOf(share) === colorOf(0)
      ? ""
      : `<rect x="${column}" y="${row * rowHeight}" width="1" height="${cellHeight}" fill="${colorOf(share)}"/>`,
  );
  return `<g><title>${escapeMarkup(name)}</title>${cells.join("")}</g>`;
}
