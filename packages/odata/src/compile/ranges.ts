import { join, type SqlFragment, sql } from "../sql/fragment.ts";
import { compileAfter, isBeyond, isTied, nullsFollow, type Place } from "./keyset.ts";
import type { Target } from "./operand.ts";
import type { SortItem } from "./sort.ts";

/** Rows that are consecutive in an index on the order. */
export type Range = {
  readonly condition: SqlFragment;
  /** The order of the range, without items that are constant in all of its rows. */
  readonly sorted: readonly SortItem[];
};

/** Maximum number of order items that are split into ranges. Indexes on more columns are rare. */
const deepest = 4;

/**
 * Keyset pagination: splits the rows after a position into ranges, in order, so that each row is in exactly one of
 * them. The first range holds the rows that tie with the last row in the most items, the following ones those that
 * tie in fewer and fewer. An index on the order holds each range in one piece; no index holds `X < b or X is null`
 * in one piece.
 */
export function rangesAfter(places: readonly Place[], target: Target): readonly Range[] {
  const ranges: Range[] = [];
  const add = (ties: readonly Place[], condition: SqlFragment, others: readonly Place[], nulls?: Place) => {
    const fixed = [...ties.filter(({ last }) => last === null), ...(nulls === undefined ? [] : [nulls])];
    ranges.push({
      condition: join([...ties.map(isTied), condition], " and "),
      sorted: sortedBy(fixed, others),
    });
  };
  if (places.length > deepest) {
    const others = places.slice(deepest);
    add(places.slice(0, deepest), compileAfter(others, target), others);
  }
  for (const run of runsOf(places.slice(0, deepest)).toReversed()) {
    const [place] = run;
    const depth = places.indexOf(place);
    const ties = places.slice(0, depth);
    const beyond = run.length === 1 ? isBeyond(place) : isRowBeyond(run);
    if (beyond !== undefined) add(ties, beyond, places.slice(depth));
    if (nullsFollow(place)) add(ties, sql`${place.operand} is null`, places.slice(depth + 1), place);
  }
  return ranges;
}

type Run = readonly [Place, ...Place[]];

/**
 * Groups items that one row comparison, such as `(A, B) > (a, b)`, can cover: neighbours of the same direction that
 * are not null and that no nulls follow.
 */
function runsOf(places: readonly Place[]): readonly Run[] {
  const runs: [Place, ...Place[]][] = [];
  const joins = (place: Place) => place.last !== null && !nullsFollow(place);
  for (const place of places) {
    const run = runs.at(-1);
    const before = run?.at(-1);
    if (before !== undefined && before.direction === place.direction && joins(before) && joins(place))
      run?.push(place);
    else runs.push([place]);
  }
  return runs;
}

function isRowBeyond(run: Run): SqlFragment {
  const [operands, bounds] = [run.map(({ operand }) => operand), run.map(({ bound }) => bound)];
  const [row, last] = [sql`(${join(operands, ", ")})`, sql`(${join(bounds, ", ")})`];
  return run[0].direction === "asc" ? sql`${row} > ${last}` : sql`${row} < ${last}`;
}

/**
 * Returns the order of a range. PostgreSQL does not infer that the null items are constant, so they are listed too,
 * in the direction of the next item; an index holds both in that direction.
 */
function sortedBy(nulls: readonly Place[], others: readonly Place[]): readonly SortItem[] {
  const [next] = others;
  if (next === undefined) return [];
  return [...nulls.map((place) => ({ ...place, direction: next.direction, nullable: true })), ...others];
}
