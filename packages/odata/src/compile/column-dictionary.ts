import type { BoundNode, ConstantNode } from "../bound/tree.ts";
import { join, type SqlFragment, sql, value } from "../sql/fragment.ts";
import type { CompileContext } from "./compile-context.ts";
import { inList } from "./in-list.ts";

/** Non-null constants that a column is compared with, and their SQL in the form of the column's values. */
type Listed = { readonly constants: readonly ConstantNode[]; readonly sql: readonly SqlFragment[] };

/**
 * Compiles the condition that a dictionary-encoded column has one of some values, by comparing codes. It is null if
 * the column is null. Undefined if `node` is not such a column. Inside a lambda an index would not help, so codes
 * are not used there.
 */
export function compileCodes(
  node: BoundNode,
  listed: Listed,
  target: CompileContext,
): SqlFragment | undefined {
  const { place, variables, values } = target;
  if (node.kind !== "Property" || node.base !== undefined || variables.length > 0) return undefined;
  const { codes } = place.members.column(node.property);
  if (codes === undefined) return undefined;
  const { known = () => undefined, hint = (condition: SqlFragment) => condition } = codes;
  const isKnown = listed.constants.every((one) => values.test(one, (it) => known(it) !== undefined));
  if (!isKnown) return hint(sql`${codes.sql} in (${codes.of(join(listed.sql, ", "))})`);
  const given = listed.constants.map((one) => value(values.derive([one], ([it]) => known(it))));
  return hint(inList(codes.sql, given, target));
}
