import type { BoundNode, BoundQuery } from "@cadastre/odata";
import { compareValues } from "@cadastre/odata/run";
import { allOf, type BoundCompareNode, conjuncts } from "@cadastre/odata/tree";
import type { TableSchema } from "../schema/table.ts";

/** Least and greatest value of a range of a column: `ge` or `gt` a constant, and `le` or `lt` one. */
type Bounds = { readonly low: BoundCompareNode | undefined; readonly high: BoundCompareNode | undefined };

/** A filter as a range of one column of numbers, and its other conditions. */
export type CountRange = Bounds & {
  readonly rest: BoundNode;
  /** Name of the column and kinds of bounds: only ranges that have both in common differ by a range. */
  readonly shape: string;
  /** Its constants as numbers, perhaps rounded; 0 for a bound that is not there. */
  readonly numbers: readonly [low: number, high: number];
};

const numberTypes: ReadonlySet<unknown> = new Set(["Edm.Decimal", "Edm.Int16", "Edm.Int32", "Edm.Int64"]);

const opposite = { ge: "lt", gt: "le", le: "gt", lt: "ge" } as const;
type Bounding = keyof typeof opposite;

const not = (bound: BoundCompareNode): BoundCompareNode => ({
  ...bound,
  comparator: opposite[bound.comparator as Bounding],
});

/** Returns the column of numbers that a condition sets a bound for. */
function boundColumn(condition: BoundNode, { columns }: TableSchema): string | undefined {
  if (condition.kind !== "Compare" || !Object.hasOwn(opposite, condition.comparator)) return undefined;
  const { left, right } = condition;
  if (left.kind !== "Property" || left.base !== undefined || !numberTypes.has(left.type)) return undefined;
  const isNumber = right.kind === "Constant" && Number.isFinite(Number(right.value ?? Number.NaN));
  return isNumber && columns.includes(left.property) ? left.property.name : undefined;
}

/** Returns the range that a filter limits the first such column to. */
export function countRangeOf({ filter }: BoundQuery, table: TableSchema): CountRange {
  let [column, low, high]: [string?, BoundCompareNode?, BoundCompareNode?] = [];
  const rest: BoundNode[] = [];
  for (const condition of conjuncts(filter)) {
    const bounded = boundColumn(condition, table);
    const bound = condition as BoundCompareNode;
    const isLow = bound.comparator === "ge" || bound.comparator === "gt";
    const isFurther = column !== undefined && (bounded !== column || (isLow ? low : high) !== undefined);
    if (bounded === undefined || isFurther) rest.push(condition);
    else {
      column = bounded;
      if (isLow) low = bound;
      else high = bound;
    }
  }
  const shape = `${column} ${low !== undefined} ${high !== undefined}`;
  const numbers = [low, high].map((bound) => (bound === undefined ? 0 : Number(constantOf(bound))));
  return { low, high, rest: allOf(...rest), shape, numbers: numbers as [number, number] };
}

const constantOf = ({ right }: BoundCompareNode): unknown => (right.kind === "Constant" ? right.value : null);

/** Where a bound lies in the order of values: before all rows with its constant, or after them. */
const order = (a: BoundCompareNode, b: BoundCompareNode): number =>
  compareValues(constantOf(a), constantOf(b)) || Number(isAfter(a)) - Number(isAfter(b));
const isAfter = ({ comparator }: BoundCompareNode): boolean => comparator === "gt" || comparator === "le";

const distance = (x: number, y: number): number =>
  x === y ? 0 : Math.abs(x - y) / Math.max(Math.abs(x), Math.abs(y));

/** Returns how much the bounds of two ranges of one shape differ, as shares of the larger ones. */
export const rangeDistance = ({ numbers: a }: CountRange, { numbers: b }: CountRange): number =>
  distance(a[0], b[0]) + distance(a[1], b[1]);

/** True if two ranges of one shape have the same bounds. */
export const isSameRange = (a: CountRange, b: CountRange): boolean =>
  rangeDistance(a, b) === 0 && isSame(a.low, b.low) && isSame(a.high, b.high);

const isSame = (a: BoundCompareNode | undefined, b: BoundCompareNode | undefined): boolean =>
  a === undefined || b === undefined || order(a, b) === 0;

/** Returns the narrower of two bounds of one side. */
const narrower = (a: BoundCompareNode, b: BoundCompareNode | undefined, side: "low" | "high") =>
  b === undefined || order(a, b) > 0 === (side === "low") ? a : b;

/**
 * Returns filters for the rows that range `a` has and `b` has not, none of which has a row that another one has. Both are of one shape. Each side
 * has one bound only: with two, a database may read the rows within the wider one.
 */
export function rangesWithout(a: CountRange, b: CountRange): readonly BoundNode[] {
  const { low, high, rest } = a;
  const found: BoundNode[] = [];
  if (low !== undefined && b.low !== undefined && order(low, b.low) < 0)
    found.push(allOf(rest, low, narrower(not(b.low), high, "high")));
  if (high !== undefined && b.high !== undefined && order(high, b.high) > 0) {
    const least = b.low === undefined ? not(b.high) : narrower(not(b.high), b.low, "low");
    found.push(allOf(rest, narrower(least, low, "low"), high));
  }
  return found;
}
