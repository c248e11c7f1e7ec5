import { colorOf } from "./color.ts";
import { type Caption, type HeatMap, listingsOf, type MapField } from "./heat-map.ts";
import { escapeMarkup } from "./markup.ts";

const style = `body { font: 13px system-ui, sans-serif; margin: 2em; color: #222 }
table { border-collapse: collapse }
th { text-align: left; font-weight: normal; padding: 1px 12px 1px 0 }
thead th { position: sticky; top: 0; background: #fff; padding: 6px 12px; vertical-align: bottom }
td { text-align: right; min-width: 4em; padding: 1px 12px; font-variant-numeric: tabular-nums }
.d { color: #fff }`;

/** Renders the map as a self-contained HTML page. */
export const heatMapHtml = ({ markets, fields }: HeatMap, { title, unknown }: Caption): string =>
  `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>${escapeMarkup(title)}</title>
<style>${style}</style>
<h1>${escapeMarkup(title)}</h1>
<p>Percent of the listings that have a value; –: ${escapeMarkup(unknown)}.</p>
<table>
<thead><tr><th>Field</th>${markets.map((market) => `<th>${escapeMarkup(market.name)}<br>${listingsOf(market)}</th>`).join("")}</tr></thead>
<tbody>
${fields.map(rowOf).join("\n")}
</tbody>
</table>
</html>
`;

const rowOf = ({ name, shares }: MapField): string =>
  `<tr><th>${escapeMarkup(name)}</th>${shares.map(cellOf).join("")}</tr>`;

function cellOf(share: number | null): string {
  const dark = share !== null && share > 0.5 ? ' class="d"' : "";
  const text = share === null ? "–" : `${(share * 100).toFixed(share > 0 && share < 0.1 ? 1 : 0)}`;
  return `<td${dark} style="background:${colorOf(share)}">${text}</td>`;
}
