import type { BoundOrderBy } from "../bound/tree.ts";
import type { PrimitiveType } from "../model/types.ts";
import { join, type SqlFragment, sql } from "../sql/fragment.ts";
import { compileOperand } from "./expression.ts";
import { fold } from "./fold.ts";
import type { Target } from "./operand.ts";

/** An item of an order, and its value in the last row of the page before. */
export type Place = {
  /** Position of the item in the order. */
  readonly position: number;
  readonly operand: SqlFragment;
  readonly nullable: boolean;
  readonly direction: BoundOrderBy["direction"];
  /** In database form. */
  readonly last: unknown;
  /** `last` as an operand. */
  readonly bound: SqlFragment;
};

/** The place after which a page starts. `values` are in database form, as the page before gave them. */
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

/** The rows after a place, nulls and mixed directions included. */
export function compileAfter(places: readonly Place[], target: Target): SqlFragment {
  const [first] = places;
  if (first === undefined) return target.dialect.truth(false);

  let after: SqlFragment | undefined;
  for (const place of places.toReversed()) {
    const beyond = isBeyondOrNull(place, target);
    const tied = after === undefined ? undefined : sql`(${isTied(place)} and ${after})`;
    after = tied === undefined ? beyond : sql`(${join([beyond, tied], " or ")})`;
  }
  // Implied by the rest, and a range that an index can start from.
  const range =
    first.last !== null && (first.direction === "asc" || !first.nullable)
      ? first.direction === "asc"
        ? sql`${first.operand} >= ${first.bound} and `
        : sql`${first.operand} <= ${first.bound} and `
      : sql``;
  return sql`(${range}${after ?? target.dialect.truth(false)})`;
}

/** The rows of the same value as the last one. */
export const isTied = ({ operand, last, bound }: Place): SqlFragment =>
  last === null ? sql`${operand} is null` : sql`${operand} = ${bound}`;

/** The rows of a value that follows; undefined where no value does. */
export function isBeyond({ operand, direction, last, bound }: Place): SqlFragment | undefined {
  if (direction === "asc") return last === null ? sql`${operand} is not null` : sql`${operand} > ${bound}`;
  return last === null ? undefined : sql`${operand} < ${bound}`;
}

/** Whether there are nulls that follow. */
export const nullsFollow = ({ nullable, direction, last }: Place): boolean =>
  direction === "desc" && nullable && last !== null;

function isBeyondOrNull(place: Place, { dialect }: Target): SqlFragment {
  const beyond = isBeyond(place) ?? dialect.truth(false);
  return nullsFollow(place) ? sql`(${beyond} or ${place.operand} is null)` : beyond;
}
