import { join, type SqlFragment, sql } from "../sql/fragment.ts";

/** `((a or b) or (c or d))`: SQLite refuses trees deeper than 1,000, and a chain is as deep as it is long. */
export function balanced(operands: readonly SqlFragment[], operator: "and" | "or"): SqlFragment | undefined {
  if (operands.length <= 8)
    return operands.length === 0 ? undefined : sql`(${join(operands, ` ${operator} `)})`;
  const middle = Math.ceil(operands.length / 2);
  const halves = [operands.slice(0, middle), operands.slice(middle)].flatMap(
    (half) => balanced(half, operator) ?? [],
  );
  return sql`(${join(halves, ` ${operator} `)})`;
}
