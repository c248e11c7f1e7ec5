import type { BoundOrderBy } from "../bound/tree.ts";
import type { PrimitiveType } from "../model/types.ts";
import { join, type SqlFragment, sql } from "../sql/fragment.ts";
import { compileOperand } from "./expression.ts";
import { fold } from "./fold.ts";
import type { Target } from "./operand.ts";

/** Keyset pagination: an item of the order, and its value in the last row of the previous page. */
export type Place = {
  /** Position of the item in the order. */
  readonly position: number;
  readonly operand: SqlFragment;
  readonly nullable: boolean;
  readonly direction: BoundOrderBy["direction"];
  /** The value in database form. */
  readonly last: unknown;
  /** `last` as an SQL operand. */
  readonly bound: SqlFragment;
};

/**
 * Returns the position after which a page starts. `values` are in database form, as the previous page returned
 * them.
 */
export const placesOf = (
  orderBy: readonly BoundOrderBy[],
  values: readonly unknown[],
  target: Target,
): readonly Place[] =>
  orderBy.map(({ expression, direction }, i) => {
    const { sql: compiled, nullable, form } = compileOperand(fold(expression), target);
    const given = target.values.read(({ after }) => after?.[i] ?? null);
    return {
      position: i,
      operand: target.dialect.ordered(compiled, form),
      nullable,
      direction,
      last: values[i] ?? null,
      bound: target.dialect.operand(given, expression.type as PrimitiveType, form),
    };
  });

/** Compiles the condition for the rows after a position, including nulls and mixed directions. */
export function compileAfter(places: readonly Place[], target: Target): SqlFragment {
  const [first] = places;
  if (first === undefined) return target.dialect.truth(false);

  let after: SqlFragment | undefined;
  for (const place of places.toReversed()) {
    const beyond = isBeyondOrNull(place, target);
    const tied = after === undefined ? undefined : sql`(${isTied(place)} and ${after})`;
    after = tied === undefined ? beyond : sql`(${join([beyond, tied], " or ")})`;
  }
  // Redundant, but a range that an index scan can start from.
  const range =
    first.last !== null && (first.direction === "asc" || !first.nullable)
      ? first.direction === "asc"
        ? sql`${first.operand} >= ${first.bound} and `
        : sql`${first.operand} <= ${first.bound} and `
      : sql``;
  return sql`(${range}${after ?? target.dialect.truth(false)})`;
}

/** Condition for rows with the same value as the last row. */
export const isTied = ({ operand, last, bound }: Place): SqlFragment =>
  last === null ? sql`${operand} is null` : sql`${operand} = ${bound}`;

/** Condition for rows with a non-null value after the last one; undefined if there is no such value. */
export function isBeyond({ operand, direction, last, bound }: Place): SqlFragment | undefined {
  if (direction === "asc") return last === null ? sql`${operand} is not null` : sql`${operand} > ${bound}`;
  return last === null ? undefined : sql`${operand} < ${bound}`;
}

/** True if null values may follow the last row. */
export const nullsFollow = ({ nullable, direction, last }: Place): boolean =>
  direction === "desc" && nullable && last !== null;

function isBeyondOrNull(place: Place, { dialect }: Target): SqlFragment {
  const beyond = isBeyond(place) ?? dialect.truth(false);
  return nullsFollow(place) ? sql`(${beyond} or ${place.operand} is null)` : beyond;
}
