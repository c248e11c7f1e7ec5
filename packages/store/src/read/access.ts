import { datasetProperty } from "@cadastre/entitlement";
import type { BoundNode, BoundQuery, Mapping } from "@cadastre/odata";
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
   * goes on with the first of the order. Undefined without one, and where what the filter pins leaves few rows. If it has the dataset,
   * the page is merged from the rows of each dataset.
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
    const datasets = hasDataset(index) ? (pinned.get(datasetProperty.name) ?? 1) : 1;
    // Several values of a column come one after the other, each in its own order.
    const isOrdered = sorting > 0 && values === datasets;
    // The rows of a dataset are never taken to be few, so that the rows of other datasets do not decide.
    if (narrowing > 0 && !(narrowing === 1 && startsWithDataset(index))) {
      // What is not known is taken to be few enough to sort: the database's own plan is not bad then.
      const each = rowsOf(index, narrowing);
      if (each === undefined) return unordered;
      if (values * each <= hardly) return ofFew;
      // Several datasets are merged sooner than sorted.
      if (values * each <= sortedSoon)
        return isOrdered && datasets > 1 ? { ordered: index, few: false } : unordered;
    }
    if (isOrdered && narrowing + sorting > most) [best, most] = [index, narrowing + sorting];
  }
  return best === undefined ? unordered : { ordered: best, few: false };
}

/** True if the index has the rows of each dataset apart, so that rows of other datasets are not read. */
const hasDataset = ({ columns }: IndexSchema): boolean => columns.includes(datasetProperty);

/** Returns the mapping for pages in the order of an index. */
export const orderedBy = (index: IndexSchema, mapping: Mapping): Mapping => ({
  ...mapping,
  ranges: true,
  ...(hasDataset(index) ? { dividedBy: datasetProperty } : {}),
});

/** True if the rows of a dataset lie together in the index. */
export const startsWithDataset = ({ columns }: IndexSchema): boolean => columns[0] === datasetProperty;

/** Whether each of a condition's alternatives has an index that finds few rows. */
function leavesFew(condition: BoundNode, indexes: readonly IndexSchema[], rowsOf: RowsOf): boolean {
  const rows = pinnedAlternatives(condition)?.map(([name, values]) => {
    const index = indexes.find((one) => leadingColumn(one)?.name === name);
    if (index === undefined) return Number.POSITIVE_INFINITY;
    // What is not known is taken to be few, as above.
    return values * (rowsOf(index, startsWithDataset(index) ? 2 : 1) ?? 0);
  });
  return rows !== undefined && rows.reduce((sum, count) => sum + count, 0) <= sortedSoon;
}

/** First column of an index, the dataset aside. */
const leadingColumn = (index: IndexSchema): IndexSchema["columns"][number] | undefined =>
  index.columns[startsWithDataset(index) ? 1 : 0];

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
