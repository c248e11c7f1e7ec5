import { join, type SqlFragment, sql } from "../sql/fragment.ts";
import type { Direction } from "../syntax/tree.ts";
import { compileAfter, isBeyond, isTied, nullsFollow, type Place } from "./keyset.ts";
import type { Target } from "./operand.ts";

/** Rows that follow one another in an index on the order. */
export type Range = {
  readonly condition: SqlFragment;
  /** The items of its order, in which what is the same in all of its rows need not stand. */
  readonly sorted: readonly SqlFragment[];
};

/** Items of an order that are told apart: an index on more of them is rare. */
const deepest = 4;

/**
 * The rows after a place as ranges in the order's turn, each row in one of them: first those that tie with the last row in
 * all items but the last, then in fewer and fewer. An index on the order holds each range in one piece, whereas no
 * index holds `X < b or X is null` so.
 */
export function rangesAfter(places: readonly Place[], target: Target): readonly Range[] {
  const ranges: Range[] = [];
  const add = (ties: readonly Place[], condition: SqlFragment, others: readonly Place[], nulls?: Place) => {
    const fixed = [...ties.filter(({ last }) => last === null), ...(nulls === undefined ? [] : [nulls])];
    ranges.push({
      condition: join([...ties.map(isTied), condition], " and "),
      sorted: sortedBy(fixed, others, target),
    });
  };
  if (places.length > deepest) {
    const others = places.slice(deepest);
    add(places.slice(0, deepest), compileAfter(others, target), others);
  }
  for (const [depth, place] of [...places.slice(0, deepest).entries()].toReversed()) {
    const ties = places.slice(0, depth);
    const beyond = isBeyond(place);
    if (beyond !== undefined) add(ties, beyond, places.slice(depth));
    if (nullsFollow(place)) add(ties, sql`${place.operand} is null`, places.slice(depth + 1), place);
  }
  return ranges;
}

/**
 * A range's order. PostgreSQL does not see that nulls are all the same: they are sorted in the direction of the item
 * after them, in which an index has both.
 */
function sortedBy(nulls: readonly Place[], others: readonly Place[], { dialect }: Target): SqlFragment[] {
  const by = { asc: dialect.ascending, desc: dialect.descending } as const satisfies Record<
    Direction,
    unknown
  >;
  const [next] = others;
  if (next === undefined) return [];
  return [
    ...nulls.map(({ operand }) => by[next.direction](operand, true)),
    ...others.map(({ operand, nullable, direction }) => by[direction](operand, nullable)),
  ];
}
