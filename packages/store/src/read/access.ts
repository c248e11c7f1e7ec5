import { datasetProperty } from "@cadastre/entitlement";
import type { BoundNode, BoundQuery, Mapping } from "@cadastre/odata";
import { isSearchable, textConditionOf } from "@cadastre/odata/compile";
import { type BoundCallNode, conjuncts, type GeoShape } from "@cadastre/odata/tree";
import type { IndexSchema, PointSchema, TableSchema, TextSchema } from "../schema/table.ts";

/** A property limited to a set of values, with the number of values. */
type Pinned = readonly [name: string, values: number];

/** Returns the property that a condition limits to a set of non-null values. */
function pinnedBy(condition: BoundNode): Pinned | undefined {
  if (condition.kind === "Membership") return pinned(condition.operand, condition.values);
  if (condition.kind !== "Compare" || condition.comparator !== "eq") return undefined;
  const { left, right } = condition;
  return pinned(left, [right]) ?? pinned(right, [left]);
}

/** For a property that is shown in some rows only, returns the limit for these rows. */
function pinned(node: BoundNode, values: readonly BoundNode[]): Pinned | undefined {
  if (node.kind === "Choice" && node.otherwise === undefined) return pinned(node.value, values);
  if (node.kind !== "Property" || node.base !== undefined) return undefined;
  const constants = values.every((value) => value.kind === "Constant" && value.value !== null);
  return constants ? [node.property.name, values.length] : undefined;
}

/**
 * Returns, for each operand of an `or`, a property that the operand limits to some values; undefined if any operand limits none.
 */
function pinnedAlternatives(condition: BoundNode): readonly Pinned[] | undefined {
  if (condition.kind !== "Logical" || condition.operator !== "or") return undefined;
  const pins = condition.operands
    .map((alternative) =>
      conjuncts(alternative)
        .map(pinnedBy)
        .find((found) => found !== undefined),
    )
    .filter((found) => found !== undefined);
  return pins.length === condition.operands.length ? pins : undefined;
}

/** Returns the properties that the filter limits to a set of non-null values, with the number of values. */
const pinnedProperties = (filter: BoundNode): ReadonlyMap<string, number> =>
  new Map(
    conjuncts(filter)
      .map(pinnedBy)
      .filter((found) => found !== undefined),
  );

/**
 * True if the query fixes every key property to one value, so that it matches at most one record and the primary key finds it.
 */
export const pinsKey = ({ entitySet, filter }: BoundQuery): boolean =>
  entitySet.type.key.every((name) => pinsOne(filter, name));

/** True if the filter limits a property to one value. */
function pinsOne(filter: BoundNode, name: string): boolean {
  if (filter.kind === "Logical" && filter.operator === "and")
    return filter.operands.some((operand) => pinsOne(operand, name));
  const pinned = pinnedBy(filter);
  return pinned !== undefined && pinned[0] === name && pinned[1] === 1;
}

/** Area in square degrees about the size of a large city. Usually only a small part of all rows lies in such an area. */
const smallArea = 1;

/** True if a condition limits a location column to an area, so that a spatial index finds the rows. */
export const isInArea = (condition: BoundNode, points: readonly PointSchema[]): boolean =>
  areaOf(condition, points) < Number.POSITIVE_INFINITY;

/** True if all matches of a filter lie in a small area, so that a spatial index finds them. */
const isOfSmallArea = (filter: BoundNode, points: readonly PointSchema[]): boolean =>
  points.length > 0 && conjuncts(filter).some((condition) => areaOf(condition, points) <= smallArea);

/** True if a trigram index finds the texts that meet the condition. Of a common word it finds many. */
export function isInTexts(condition: BoundNode, texts: readonly TextSchema[]): boolean {
  const found = textConditionOf(condition);
  return (
    found !== undefined &&
    isSearchable(found.text.value) &&
    texts.some(({ column }) => column.name === found.property.name)
  );
}

/** Returns the name of the property that a node reads, even if the node shows it for some rows only. */
export function shownProperty(node: BoundNode): string | undefined {
  if (node.kind === "Choice" && node.otherwise === undefined) return shownProperty(node.value);
  return node.kind === "Property" && node.base === undefined ? node.property.name : undefined;
}

/** True if an argument of the function is a location column. */
export const readsPoints = ({ args }: BoundCallNode, points: readonly PointSchema[]): boolean =>
  args.some((arg) => {
    const name = shownProperty(arg);
    return points.some(({ column }) => column.name === name);
  });

/** Returns the area in square degrees that a condition limits results to; infinite if it sets no limit. */
function areaOf(condition: BoundNode, points: readonly PointSchema[]): number {
  const [call, limit] = spatialCall(condition);
  const shape = call?.args.find((arg) => arg.kind === "Constant")?.value;
  if (call === undefined || !shape || !readsPoints(call, points)) return Number.POSITIVE_INFINITY;
  const boxes = call.entry.boxes?.(shape as GeoShape, limit);
  return boxes
    ? boxes.reduce((sum, { west, south, east, north }) => sum + (east - west) * (north - south), 0)
    : Number.POSITIVE_INFINITY;
}

/** Returns the call of a condition that is a boolean function or a distance with an upper limit in metres. */
function spatialCall(condition: BoundNode): readonly [call: BoundCallNode | undefined, limit: number] {
  if (condition.kind === "Call") return [condition, 0];
  if (condition.kind !== "Compare") return [undefined, 0];
  const { left, right, comparator } = condition;
  const isLess = comparator === "lt" || comparator === "le";
  const isGreater = comparator === "gt" || comparator === "ge";
  if (isLess && left.kind === "Call" && right.kind === "Constant") return [left, Number(right.value)];
  if (isGreater && right.kind === "Call" && left.kind === "Constant") return [right, Number(left.value)];
  return [undefined, 0];
}

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
  const { filter } = query;
  const pinned = pinnedProperties(filter);
  if (conjuncts(filter).some((condition) => leavesFew(condition, indexes, rowsOf))) return unordered;
  if (key.every(({ name }) => pinned.has(name)) || isOfSmallArea(filter, points)) return unordered;
  const sorted = sortedProperties(query);
  let best: IndexSchema | undefined;
  let most = 0;
  for (const index of indexes) {
    const { narrowing, sorting, values } = columnsThatHelp(index, pinned, sorted);
    const datasets = datasetsIn(index, pinned);
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

/** True if an index has the rows of a query in its order, or those of each dataset. */
export function isInOrderOf(index: IndexSchema, query: BoundQuery): boolean {
  const pinned = pinnedProperties(query.filter);
  const { sorting, values } = columnsThatHelp(index, pinned, sortedProperties(query));
  return sorting > 0 && values === datasetsIn(index, pinned);
}

/** Returns the names of the properties that a query is ordered by; undefined for a computed value. */
const sortedProperties = ({ orderBy }: BoundQuery): readonly (string | undefined)[] =>
  orderBy.map(({ expression }) =>
    expression.kind === "Property" && expression.base === undefined ? expression.property.name : undefined,
  );

/** Returns the number of datasets whose rows an index has one after another. */
const datasetsIn = (index: IndexSchema, pinned: ReadonlyMap<string, number>): number =>
  hasDataset(index) ? (pinned.get(datasetProperty.name) ?? 1) : 1;

/** True if the index contains the dataset, so that the rows of other datasets are not read. */
const hasDataset = ({ columns }: IndexSchema): boolean => columns.includes(datasetProperty);

/**
 * Returns the mapping for a page in the order of an index: later pages read consecutive ranges of it and, if the dataset is one of its
 * columns, merge the rows of each dataset. Does not make the database choose the index.
 */
export const mappingInOrderOf = (index: IndexSchema, mapping: Mapping): Mapping => ({
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
export const leadingColumn = (index: IndexSchema): IndexSchema["columns"][number] | undefined =>
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
