import type { BoundOrderBy } from "../bound/tree.ts";
import type { PrimitiveType } from "../model/types.ts";
import { join, type SqlFragment, sql } from "../sql/fragment.ts";
import { compileOperand } from "./expression.ts";
import { fold } from "./fold.ts";
import type { Target } from "./operand.ts";

/**
 * The rows after `values` in the order of `orderBy`, nulls and mixed directions included.
 * `values` are in database form, as the page before gave them.
 */
export function compileAfter(
  orderBy: readonly BoundOrderBy[],
  values: readonly unknown[],
  target: Target,
): SqlFragment {
  const items = orderBy.map(({ expression, direction }, i) => {
    const { sql: compiled, nullable, form } = compileOperand(fold(expression), target);
    const last = values[i] ?? null;
    const operand = target.dialect.ordered(compiled, form);
    const given = target.values.read(({ after }) => after?.[i] ?? null);
    const bound = target.dialect.operand(given, expression.type as PrimitiveType, form);
    return { operand, nullable, direction, last, bound };
  });
  const [first] = items;
  if (first === undefined) return target.dialect.truth(false);

  let after: SqlFragment | undefined;
  for (const item of items.toReversed()) {
    const beyond = isBeyond(item, target);
    const same = item.last === null ? sql`${item.operand} is null` : sql`${item.operand} = ${item.bound}`;
    const tied = after === undefined ? undefined : sql`(${same} and ${after})`;
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

type Item = {
  readonly operand: SqlFragment;
  readonly nullable: boolean;
  readonly direction: BoundOrderBy["direction"];
  readonly last: unknown;
  readonly bound: SqlFragment;
};

function isBeyond({ operand, nullable, direction, last, bound }: Item, { dialect }: Target): SqlFragment {
  if (direction === "asc") return last === null ? sql`${operand} is not null` : sql`${operand} > ${bound}`;
  if (last === null) return dialect.truth(false);
  return nullable ? sql`(${operand} < ${bound} or ${operand} is null)` : sql`${operand} < ${bound}`;
}
