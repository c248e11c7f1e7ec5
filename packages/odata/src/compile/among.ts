import { join, type SqlFragment, sql } from "../sql/fragment.ts";
import { balanced } from "./balanced.ts";
import type { Target } from "./operand.ts";

/** Whether `operand` is one of `values`; null where it is null. */
export function among(operand: SqlFragment, values: readonly SqlFragment[], { few }: Target): SqlFragment {
  const isIn = (some: readonly SqlFragment[]): SqlFragment => sql`${operand} in (${join(some, ", ")})`;
  return (few && balanced(pairs(values).map(isIn), "or")) || isIn(values);
}

/** SQLite makes a table of a longer list each time that a statement runs, to find values in it. */
const pairs = <T>(values: readonly T[]): readonly (readonly T[])[] =>
  values.flatMap((_, i) => (i % 2 === 0 ? [values.slice(i, i + 2)] : []));
