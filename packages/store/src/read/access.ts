import type { BoundNode, BoundQuery } from "@cadastre/odata";
import type { IndexSchema, TableSchema } from "../schema/table.ts";
import { isOfSmallArea } from "./area.ts";
import { conjuncts, pinnedAlternatives, pinnedProperties } from "./conjuncts.ts";
import { pinsKey } from "./pins-key.ts";

/** How many rows an index has, on average, for one value of each of its first columns; undefined where unknown. */
export type RowsOf = (index: IndexSchema, columns: number) => number | undefined;

/** How the rows of a query are found. */
export type Access = {
  /**
   * The index to read in the query's order, until the page is full: it begins with columns that the filter pins, and
   * goes on with the first of the order. Undefined without one, and where what the filter pins leaves few rows.
   */
  readonly ordered: IndexSchema | undefined;
  /** Whether an index leaves hardly a row to look at. */
  readonly few: boolean;
};

const ofFew: Access = { ordered: undefined, few: true };
const unordered: Access = { ordered: undefined, few: false };

/** So many rows are sooner read and sorted than others are passed over. */
const sortedSoon = 1000;
const hardly = 10;

export function accessTo(query: BoundQuery, { key, indexes, points }: TableSchema, rowsOf: RowsOf): Access {
  if (pinsKey(query)) return ofFew;
  const { filter, orderBy } = query;
  const pinned = pinnedProperties(filter);
  if (conjuncts(filter).some((condition) => leavesFew(condition, indexes, rowsOf))) return unordered;
  if (key.every(({ name }) => pinned.has(name)) || isOfSmallArea(filter, points)) return unordered;
  const sorted = orderBy.map(({ expression }) =>
    expression.kind === "Property" && expression.base === undefined ? expression.property.name : undefined,
  );
  let best: IndexSchema | undefined;
  let most = 0;
  for (const index of indexes) {
    const { narrowing, sorting, values } = columnsThatHelp(index, pinned, sorted);
    if (narrowing > 0) {
      // What is not known is taken to be few enough to sort: the database's own plan is not bad then.
      const each = rowsOf(index, narrowing);
      if (each === undefined) return unordered;
      if (values * each <= hardly) return ofFew;
      if (values * each <= sortedSoon) return unordered;
    }
    // Several values of a column come one after the other, each in its own order.
    if (sorting > 0 && values === 1 && narrowing + sorting > most)
      [best, most] = [index, narrowing + sorting];
  }
  return best === undefined ? unordered : { ordered: best, few: false };
}

/** Whether each of a condition's alternatives has an index that finds few rows. */
function leavesFew(condition: BoundNode, indexes: readonly IndexSchema[], rowsOf: RowsOf): boolean {
  const rows = pinnedAlternatives(condition)?.map(([name, values]) => {
    const index = indexes.find(({ columns }) => columns[0]?.name === name);
    // What is not known is taken to be few, as above.
    return index === undefined ? Number.POSITIVE_INFINITY : values * (rowsOf(index, 1) ?? 0);
  });
  return rows !== undefined && rows.reduce((sum, count) => sum + count, 0) <= sortedSoon;
}

/** Columns of the index, from its first on: those that narrow, with how many values together, then those that sort. */
function columnsThatHelp(
  { columns }: IndexSchema,
  pinned: ReadonlyMap<string, number>,
  sorted: readonly (string | undefined)[],
): { readonly narrowing: number; readonly sorting: number; readonly values: number } {
  const nameAt = (place: number) => columns[place]?.name;
  let narrowing = 0;
  let values = 1;
  for (
    let many = pinned.get(nameAt(0) ?? "");
    many !== undefined;
    many = pinned.get(nameAt(narrowing) ?? "")
  ) {
    values *= many;
    narrowing++;
  }
  let sorting = 0;
  while (nameAt(narrowing + sorting) !== undefined && nameAt(narrowing + sorting) === sorted[sorting])
    sorting++;
  return { narrowing, sorting, values };
}
