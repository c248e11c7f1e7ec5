/** One line of a plot: a positive value for each step of the x axis. */
export type Series = { readonly name: string; readonly values: readonly number[] };

export type Plot = {
  readonly title: string;
  /** Labels of the steps, which are evenly spaced. */
  readonly steps: readonly string[];
  readonly series: readonly Series[];
};

const [width, height] = [760, 460];
const area = { left: 64, right: 540, top: 44, bottom: 420 };
const colours = ["#0b6e99", "#c2410c", "#15803d", "#7c3aed", "#b91c1c", "#4d7c0f", "#be185d", "#a16207"];
/** Minimum distance of two labels at the right edge. */
const labelHeight = 15;

const rounded = (value: number) => String(Math.round(value * 10) / 10);
const escaped = (text: string) => text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);

/** Returns the plot as SVG. The y axis is logarithmic. */
export function plotSvg({ title, steps, series }: Plot): string {
  const values = series.flatMap((one) => one.values);
  const least = Math.floor(Math.log10(Math.min(...values)));
  const most = Math.max(least + 1, Math.ceil(Math.log10(Math.max(...values))));
  const xOf = (step: number) => area.left + ((area.right - area.left) * step) / Math.max(1, steps.length - 1);
  const yOf = (value: number) =>
    area.bottom - ((area.bottom - area.top) * (Math.log10(value) - least)) / (most - least);
  const labels = labelPlaces(series.map((one) => yOf(one.values.at(-1) ?? 1)));
  const decades = Array.from({ length: most - least + 1 }, (_, i) => 10 ** (least + i));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12">`,
    `<title>${escaped(title)}</title>`,
    `<rect width="${width}" height="${height}" fill="#fff"/>`,
    `<text x="${area.left}" y="24" font-size="14">${escaped(title)}</text>`,
    ...decades.flatMap((decade) => [
      `<path d="M${area.left} ${rounded(yOf(decade))}H${area.right}" stroke="#ddd"/>`,
      `<text x="${area.left - 8}" y="${rounded(yOf(decade) + 4)}" text-anchor="end">${decade < 1 ? decade.toFixed(-Math.round(Math.log10(decade))) : decade}</text>`,
    ]),
    ...steps.map(
      (label, i) =>
        `<text x="${rounded(xOf(i))}" y="${area.bottom + 20}" text-anchor="middle">${escaped(label)}</text>`,
    ),
    ...series.flatMap(({ name, values: points }, i) => {
      const colour = colours[i % colours.length] ?? "#000";
      const dashes = i < colours.length ? "" : ' stroke-dasharray="5 3"';
      const path = points.map((value, step) => `${rounded(xOf(step))} ${rounded(yOf(value))}`).join("L");
      return [
        `<path d="M${path}" fill="none" stroke="${colour}" stroke-width="2"${dashes}/>`,
        `<text x="${area.right + 8}" y="${rounded((labels[i] ?? 0) + 4)}" fill="${colour}">${escaped(name)}</text>`,
      ];
    }),
    "</svg>\n",
  ].join("\n");
}

/** Returns the y positions of labels: `wanted`, but moved down if labels would overlap. */
function labelPlaces(wanted: readonly number[]): readonly number[] {
  const places: number[] = [...wanted];
  let free = Number.NEGATIVE_INFINITY;
  for (const i of [...wanted.keys()].toSorted((a, b) => (wanted[a] ?? 0) - (wanted[b] ?? 0))) {
    const place = Math.max(wanted[i] ?? 0, free);
    places[i] = place;
    free = place + labelHeight;
  }
  return places;
}
