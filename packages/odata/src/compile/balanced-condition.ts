import { join, type SqlFragment, sql } from "../sql/fragment.ts";

/**
 * Joins conditions as a balanced tree, `((a or b) or (c or d))`: SQLite refuses expressions deeper than 1,000, and
 * the depth of a chain is its length.
 */
export function joinBalanced(
  operands: readonly SqlFragment[],
  operator: "and" | "or",
): SqlFragment | undefined {
  if (operands.length <= 8)
    return operands.length === 0 ? undefined : sql`(${join(operands, ` ${operator} `)})`;
  const middle = Math.ceil(operands.length / 2);
  const halves = [operands.slice(0, middle), operands.slice(middle)].flatMap(
    (half) => joinBalanced(half, operator) ?? [],
  );
  return sql`(${join(halves, ` ${operator} `)})`;
}
