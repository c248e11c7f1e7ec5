import type { BoundNode } from "../bound/tree.ts";
import { join, type SqlFragment, sql } from "../sql/fragment.ts";
import type { Target } from "./operand.ts";

/**
 * Whether a column has one of some values, by the codes that it holds for them: null where it has none. Undefined for
 * what is no column of codes. Beside the items of a lambda an index finds nothing sooner.
 */
export function compileCodes(
  node: BoundNode,
  values: readonly SqlFragment[],
  { place, variables }: Target,
): SqlFragment | undefined {
  if (node.kind !== "Property" || node.base !== undefined || variables.length > 0) return undefined;
  const { codes } = place.members.column(node.property);
  return codes && sql`${codes.sql} in (${codes.of(join(values, ", "))})`;
}
