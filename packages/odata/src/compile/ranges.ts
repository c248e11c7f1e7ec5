import { join, type SqlFragment, sql } from "../sql/fragment.ts";
import { compileAfter, isBeyond, isTied, nullsFollow, type Place } from "./keyset.ts";
import type { Target } from "./operand.ts";
import type { SortItem } from "./sort.ts";

/** Rows that follow one another in an index on the order. */
export type Range = {
  readonly condition: SqlFragment;
  /** The items of its order, in which what is the same in all of its rows need not stand. */
  readonly sorted: readonly SortItem[];
};

/** Items of an order that are told apart: an index on more of them is rare. */
const deepest = 4;

/**
 * The rows after a place as ranges in the order's turn, each row in one of them: first those that tie with the last row in
 * the most items, then in fewer and fewer. An index on the order holds each range in one piece, whereas no
 * index holds `X < b or X is null` so.
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

/** Places that one comparison of rows goes beyond stand together: no null follows any of them, nor is one. */
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
 * A range's order. PostgreSQL does not see that nulls are all the same: they are sorted in the direction of the item
 * after them, in which an index has both.
 */
function sortedBy(nulls: readonly Place[], others: readonly Place[]): readonly SortItem[] {
  const [next] = others;
  if (next === undefined) return [];
  return [...nulls.map((place) => ({ ...place, direction: next.direction, nullable: true })), ...others];
}
