import { join, type SqlFragment, sql } from "../sql/fragment.ts";
import type { CompileContext } from "./compile-context.ts";

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

/**
 * Compiles the condition that `operand` is one of `values`; it is null if the operand is null. In a statement that reads few rows, the list is
 * split into pairs, whatever its length.
 */
export function inList(
  operand: SqlFragment,
  values: readonly SqlFragment[],
  { readsFewRows }: CompileContext,
): SqlFragment {
  const isIn = (some: readonly SqlFragment[]): SqlFragment => sql`${operand} in (${join(some, ", ")})`;
  return (readsFewRows && joinBalanced(pairs(values).map(isIn), "or")) || isIn(values);
}

/** Splits a list into pairs. SQLite builds a temporary lookup table for longer lists each time the statement runs. */
const pairs = <T>(values: readonly T[]): readonly (readonly T[])[] =>
  values.flatMap((_, i) => (i % 2 === 0 ? [values.slice(i, i + 2)] : []));
