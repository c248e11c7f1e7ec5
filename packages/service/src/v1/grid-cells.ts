/** Edges of an area, in degrees. */
export type MapBox = {
  readonly west: number;
  readonly south: number;
  readonly east: number;
  readonly north: number;
};

/** Cells of the smallest size on one degree. */
export const cellsPerDegree = 100;

/** Widths of cells, in cells of the smallest size: 0.01° to 45°. Each is a whole number of them, so that coarser counts are sums. */
const widths = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 4500] as const;

/** Cells over a box: their width, and the numbers of the first ones and of those after the last ones, counted in this width. */
export type MapGrid = {
  /** In cells of the smallest size. */
  readonly width: number;
  readonly columns: readonly [from: number, to: number];
  readonly rows: readonly [from: number, to: number];
};

/**
 * Returns the finest grid over a box with at most this number of columns and of rows. Its edges are multiples of the width.
 *
 * @param least smallest width of a cell, in degrees
 */
export function gridOver({ west, south, east, north }: MapBox, most: number, least: number): MapGrid {
  const gridOf = (width: number): MapGrid => {
    const degrees = width / cellsPerDegree;
    const between = (from: number, to: number) =>
      [Math.floor(from / degrees), Math.ceil(to / degrees)] as const;
    return { width, columns: between(west, east), rows: between(south, north) };
  };
  const isFew = ([from, to]: readonly [number, number]) => to - from <= most;
  const wide = widths.filter((width) => width / cellsPerDegree >= least).map(gridOf);
  const found = wide.find(({ columns, rows }) => isFew(columns) && isFew(rows)) ?? wide.at(-1);
  return found ?? gridOf(widths[widths.length - 1] ?? 1);
}

/** A cell with records, and their number. */
export type MapCell = MapBox & { readonly count: number };

/**
 * Adds up the counts of cells of the smallest size.
 *
 * @param counts three numbers a cell: those of `order`, and of its records
 * @param order which comes first, the number of the column or that of the row
 * @returns cells with records, from south to north, each row from west to east
 */
export function cellsOf(
  { width, columns, rows }: MapGrid,
  counts: Int32Array,
  order: "column first" | "row first",
): readonly MapCell[] {
  const [west, east] = columns;
  const [south, north] = rows;
  const [columnAt, rowAt] = order === "column first" ? [0, 1] : [1, 0];
  const inRow = east - west;
  const sums = new Int32Array(inRow * (north - south));
  for (let at = 0; at < counts.length; at += 3) {
    const column = Math.floor((counts[at + columnAt] as number) / width);
    const row = Math.floor((counts[at + rowAt] as number) / width);
    if (column < west || column >= east || row < south || row >= north) continue;
    const place = (row - south) * inRow + column - west;
    sums[place] = (sums[place] as number) + (counts[at + 2] as number);
  }
  const degrees = (number: number) => (number * width) / cellsPerDegree;
  const cells: MapCell[] = [];
  for (const [place, count] of sums.entries()) {
    if (count === 0) continue;
    const [column, row] = [west + (place % inRow), south + Math.floor(place / inRow)];
    cells.push({
      west: degrees(column),
      south: degrees(row),
      east: degrees(column + 1),
      north: degrees(row + 1),
      count,
    });
  }
  return cells;
}
