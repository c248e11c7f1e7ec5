/** A row of dots: a positive value for each series, or none. */
export type DotRow = { readonly name: string; readonly values: readonly (number | undefined)[] };

export type Dots = {
  readonly title: string;
  readonly series: readonly string[];
  readonly rows: readonly DotRow[];
};

const colours = ["#0b6e99", "#737373", "#15803d", "#c2410c", "#7c3aed"];
const area = { left: 210, right: 740, top: 74 };
const rowHeight = 30;
const width = 760;

const rounded = (value: number) => String(Math.round(value * 10) / 10);
const escaped = (text: string) => text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);

/** Returns a dot plot as SVG. The x axis is logarithmic, with a line at 1. */
export function dotsSvg({ title, series, rows }: Dots): string {
  const values = rows.flatMap((row) => row.values).filter((value) => value !== undefined);
  const least = Math.min(-1, Math.floor(Math.log10(Math.min(...values))));
  const most = Math.max(1, Math.ceil(Math.log10(Math.max(...values))));
  const bottom = area.top + rows.length * rowHeight;
  const xOf = (value: number) =>
    rounded(area.left + ((area.right - area.left) * (Math.log10(value) - least)) / (most - least));
  const decades = Array.from({ length: most - least + 1 }, (_, i) => 10 ** (least + i));
  const colourOf = (i: number) => colours[i % colours.length] ?? "#000";
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${bottom + 34}" font-family="sans-serif" font-size="12">`,
    `<title>${escaped(title)}</title>`,
    `<rect width="${width}" height="${bottom + 34}" fill="#fff"/>`,
    `<text x="12" y="24" font-size="14">${escaped(title)}</text>`,
    ...series.flatMap((name, i) => [
      `<circle cx="${20 + i * 130}" cy="46" r="5" fill="${colourOf(i)}"/>`,
      `<text x="${30 + i * 130}" y="50">${escaped(name)}</text>`,
    ]),
    ...decades.flatMap((decade) => [
      `<path d="M${xOf(decade)} ${area.top}V${bottom}" stroke="${decade === 1 ? "#333" : "#ddd"}"/>`,
      `<text x="${xOf(decade)}" y="${bottom + 20}" text-anchor="middle">${decade}</text>`,
    ]),
    ...rows.flatMap(({ name, values: dots }, row) => {
      const y = area.top + (row + 0.5) * rowHeight;
      return [
        `<text x="${area.left - 12}" y="${y + 4}" text-anchor="end">${escaped(name)}</text>`,
        // The first series is drawn last, above the others.
        ...dots
          .map((value, i) =>
            value === undefined ? "" : `<circle cx="${xOf(value)}" cy="${y}" r="5" fill="${colourOf(i)}"/>`,
          )
          .toReversed()
          .filter((dot) => dot !== ""),
      ];
    }),
    "</svg>\n",
  ].join("\n");
}
