import type { PrimitiveType } from "../model/types.ts";
import { join, type SqlFragment, sql } from "../sql/fragment.ts";
import type { CompileContext } from "./compile-context.ts";
import type { SortItem } from "./select.ts";

/** Keyset pagination: an item of the order, and its value in the last row of the previous page. */
export type SortPosition = SortItem & {
  /** The value in database form. */
  readonly last: unknown;
  /** `last` as an SQL operand. */
  readonly bound: SqlFragment;
};

/**
 * Returns the position after which a page starts. `values` are in database form, as the previous page returned
 * them.
 */
export const positionsOf = (
  items: readonly SortItem[],
  values: readonly unknown[],
  target: CompileContext,
): readonly SortPosition[] =>
  items.map((item, i) => {
    const given = target.values.read(({ after }) => valueAfter(after?.[i] ?? null, item));
    const bound = target.dialect.operand(given, item.type as PrimitiveType, item.form);
    return { ...item, last: values[i] ?? null, bound };
  });

/** Returns a value of a position in database form. Integers may be given as text, see `OrderAs`. */
const valueAfter = (given: unknown, { form }: SortItem): unknown =>
  typeof given !== "string" || form !== "scaled"
    ? given
    : /^-?\d+$/.test(given)
      ? BigInt(given)
      : Number(given);

/** Compiles the condition for the rows after a position, including nulls and mixed directions. */
export function compileAfter(positions: readonly SortPosition[], target: CompileContext): SqlFragment {
  const [first] = positions;
  if (first === undefined) return target.dialect.booleanLiteral(false);

  let after: SqlFragment | undefined;
  for (const position of positions.toReversed()) {
    const beyond = isBeyondOrNull(position, target);
    const tied = after === undefined ? undefined : sql`(${isTied(position)} and ${after})`;
    after = tied === undefined ? beyond : sql`(${join([beyond, tied], " or ")})`;
  }
  // Redundant, but a range that an index scan can start from.
  const range =
    first.last !== null && (first.direction === "asc" || !first.nullable)
      ? first.direction === "asc"
        ? sql`${first.operand} >= ${first.bound} and `
        : sql`${first.operand} <= ${first.bound} and `
      : sql``;
  return sql`(${range}${after ?? target.dialect.booleanLiteral(false)})`;
}

/** Condition for rows with the same value as the last row. */
export const isTied = ({ operand, last, bound }: SortPosition): SqlFragment =>
  last === null ? sql`${operand} is null` : sql`${operand} = ${bound}`;

/** Condition for rows with a non-null value after the last one; undefined if there is no such value. */
export function isBeyond({ operand, direction, last, bound }: SortPosition): SqlFragment | undefined {
  if (direction === "asc") return last === null ? sql`${operand} is not null` : sql`${operand} > ${bound}`;
  return last === null ? undefined : sql`${operand} < ${bound}`;
}

/** True if null values may follow the last row. */
export const nullsFollow = ({ nullable, direction, last }: SortPosition): boolean =>
  direction === "desc" && nullable && last !== null;

function isBeyondOrNull(position: SortPosition, { dialect }: CompileContext): SqlFragment {
  const beyond = isBeyond(position) ?? dialect.booleanLiteral(false);
  return nullsFollow(position) ? sql`(${beyond} or ${position.operand} is null)` : beyond;
}
