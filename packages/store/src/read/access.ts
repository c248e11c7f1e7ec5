import { datasetProperty } from "@cadastre/entitlement";
import type { BoundNode, BoundQuery, Mapping } from "@cadastre/odata";
import { conjuncts } from "@cadastre/odata/tree";
import type { IndexSchema, TableSchema } from "../schema/table.ts";
import { pinnedAlternatives, pinnedProperties } from "./pinned.ts";
import { pinsKey } from "./pins-key.ts";
import { isOfSmallArea } from "./spatial-call.ts";

/** Returns the average number of rows that an index has for one value of each of its first `columns` columns; undefined if unknown. */
export type RowsOf = (index: IndexSchema, columns: number) => number | undefined;

/** Access path of a query. */
export type Access = {
  /**
   * An index to read in the query's order until the page is full. The filter pins its first columns to single values; its next columns are
   * the first ones of the order. If the dataset is one of its columns, the rows of each dataset are read in order and merged. Undefined if
   * no index fits, or if so few rows remain that sorting them is cheaper.
   */
  readonly ordered: IndexSchema | undefined;
  /** True if an index leaves hardly any rows to read. */
  readonly few: boolean;
};

const ofFew: Access = { ordered: undefined, few: true };
const unordered: Access = { ordered: undefined, few: false };

/** Up to this number of rows, sorting them is cheaper than skipping other rows in the order of an index. */
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
    // With several values of a column, the index is ordered only within each value.
    const isOrdered = sorting > 0 && values === datasets;
    // Never treat the rows of one dataset as few: the choice would depend on the number of rows of other datasets.
    if (narrowing > 0 && !(narrowing === 1 && startsWithDataset(index))) {
      // An unknown number is taken to be small enough to sort, because the database's own plan is good enough then.
      const each = rowsOf(index, narrowing);
      if (each === undefined) return unordered;
      if (values * each <= hardly) return ofFew;
      // Merging several datasets is cheaper than sorting them.
      if (values * each <= sortedSoon)
        return isOrdered && datasets > 1 ? { ordered: index, few: false } : unordered;
    }
    if (isOrdered && narrowing + sorting > most) [best, most] = [index, narrowing + sorting];
  }
  return best === undefined ? unordered : { ordered: best, few: false };
}

/** True if the index contains the dataset, so that the rows of other datasets are not read. */
const hasDataset = ({ columns }: IndexSchema): boolean => columns.includes(datasetProperty);

/** Returns the mapping for pages in the order of an index. */
export const orderedBy = (index: IndexSchema, mapping: Mapping): Mapping => ({
  ...mapping,
  ranges: true,
  ...(hasDataset(index) ? { dividedBy: datasetProperty } : {}),
});

/** True if the rows of a dataset are contiguous in the index. */
export const startsWithDataset = ({ columns }: IndexSchema): boolean => columns[0] === datasetProperty;

/** True if every alternative of a condition has an index that finds few rows. */
function leavesFew(condition: BoundNode, indexes: readonly IndexSchema[], rowsOf: RowsOf): boolean {
  const rows = pinnedAlternatives(condition)?.map(([name, values]) => {
    const index = indexes.find((one) => leadingColumn(one)?.name === name);
    if (index === undefined) return Number.POSITIVE_INFINITY;
    // An unknown number is taken to be small, as in `accessTo`.
    return values * (rowsOf(index, startsWithDataset(index) ? 2 : 1) ?? 0);
  });
  return rows !== undefined && rows.reduce((sum, count) => sum + count, 0) <= sortedSoon;
}

/** Returns the first column of an index other than the dataset. */
const leadingColumn = (index: IndexSchema): IndexSchema["columns"][number] | undefined =>
  index.columns[startsWithDataset(index) ? 1 : 0];

/** Counts the leading index columns that the filter pins, the combinations of their values, and the following columns of the order. */
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
