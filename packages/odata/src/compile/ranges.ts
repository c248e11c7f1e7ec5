import { join, type SqlFragment, sql } from "../sql/fragment.ts";
import type { CompileContext } from "./compile-context.ts";
import { compileAfter, isBeyond, isTied, nullsFollow, type SortPosition } from "./keyset.ts";
import type { SortItem } from "./select.ts";

/** Rows that are consecutive in an index on the order. */
export type Range = {
  readonly condition: SqlFragment;
  /** The order of the range, without items that are constant in all of its rows. */
  readonly sorted: readonly SortItem[];
};

/** Maximum number of order items that are split into ranges. Indexes on more columns are rare. */
const maxSplitItems = 4;

/**
 * Keyset pagination: splits the rows after a position into ranges, in order, so that each row is in exactly one of
 * them. The first range holds the rows that tie with the last row in the most items, the following ones those that
 * tie in fewer and fewer. An index on the order holds each range in one piece; no index holds `X < b or X is null`
 * in one piece.
 */
export function rangesAfter(positions: readonly SortPosition[], target: CompileContext): readonly Range[] {
  const ranges: Range[] = [];
  const add = (
    ties: readonly SortPosition[],
    condition: SqlFragment,
    others: readonly SortPosition[],
    nulls?: SortPosition,
  ) => {
    const fixed = [...ties.filter(({ last }) => last === null), ...(nulls === undefined ? [] : [nulls])];
    ranges.push({
      condition: join([...ties.map(isTied), condition], " and "),
      sorted: sortedBy(fixed, others),
    });
  };
  if (positions.length > maxSplitItems) {
    const others = positions.slice(maxSplitItems);
    add(positions.slice(0, maxSplitItems), compileAfter(others, target), others);
  }
  for (const run of runsOf(positions.slice(0, maxSplitItems)).toReversed()) {
    const [position] = run;
    const depth = positions.indexOf(position);
    const ties = positions.slice(0, depth);
    const beyond = run.length === 1 ? isBeyond(position) : isRowBeyond(run);
    if (beyond !== undefined) add(ties, beyond, positions.slice(depth));
    if (nullsFollow(position))
      add(ties, sql`${position.operand} is null`, positions.slice(depth + 1), position);
  }
  return ranges;
}

type ComparableItems = readonly [SortPosition, ...SortPosition[]];

/**
 * Groups items that one row comparison, such as `(A, B) > (a, b)`, can cover: neighbours of the same direction that
 * are not null and that no nulls follow.
 */
function runsOf(positions: readonly SortPosition[]): readonly ComparableItems[] {
  const runs: [SortPosition, ...SortPosition[]][] = [];
  const isComparableInRow = (position: SortPosition) => position.last !== null && !nullsFollow(position);
  for (const position of positions) {
    const run = runs.at(-1);
    const before = run?.at(-1);
    if (
      before !== undefined &&
      before.direction === position.direction &&
      isComparableInRow(before) &&
      isComparableInRow(position)
    )
      run?.push(position);
    else runs.push([position]);
  }
  return runs;
}

function isRowBeyond(run: ComparableItems): SqlFragment {
  const [operands, bounds] = [run.map(({ operand }) => operand), run.map(({ bound }) => bound)];
  const [row, last] = [sql`(${join(operands, ", ")})`, sql`(${join(bounds, ", ")})`];
  return run[0].direction === "asc" ? sql`${row} > ${last}` : sql`${row} < ${last}`;
}

/**
 * Returns the order of a range. PostgreSQL does not infer that the null items are constant, so they are listed too,
 * in the direction of the next item; an index holds both in that direction.
 */
function sortedBy(nulls: readonly SortPosition[], others: readonly SortPosition[]): readonly SortItem[] {
  const [next] = others;
  if (next === undefined) return [];
  return [
    ...nulls.map((position) => ({ ...position, direction: next.direction, nullable: true })),
    ...others,
  ];
}
