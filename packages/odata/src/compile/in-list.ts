import { join, type SqlFragment, sql } from "../sql/fragment.ts";
import { joinBalanced } from "./balanced-condition.ts";
import type { CompileContext } from "./compile-context.ts";

/** Compiles the condition that `operand` is one of `values`; it is null if the operand is null. */
export function inList(
  operand: SqlFragment,
  values: readonly SqlFragment[],
  { few }: CompileContext,
): SqlFragment {
  const isIn = (some: readonly SqlFragment[]): SqlFragment => sql`${operand} in (${join(some, ", ")})`;
  return (few && joinBalanced(pairs(values).map(isIn), "or")) || isIn(values);
}

/** Splits a list into pairs. SQLite builds a temporary lookup table for longer lists each time the statement runs. */
const pairs = <T>(values: readonly T[]): readonly (readonly T[])[] =>
  values.flatMap((_, i) => (i % 2 === 0 ? [values.slice(i, i + 2)] : []));
