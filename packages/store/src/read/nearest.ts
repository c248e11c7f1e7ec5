import { type BoundNode, type BoundQuery, nearestPhases } from "@cadastre/odata";
import type { TableSchema } from "../schema/table.ts";
import { pinsKey } from "./pins-key.ts";

/**
 * Queries whose rows in turn are those of a query in the order of a distance, see `nearestPhases`: an index of the
 * points serves each. Undefined for any other query.
 */
export function phasesOf(query: BoundQuery, { points }: TableSchema): readonly BoundQuery[] | undefined {
  const expression = query.orderBy[0]?.expression;
  if (expression?.kind !== "Call" || pinsKey(query)) return undefined;
  const isIndexed = expression.args.some((arg) => {
    const name = shownProperty(arg);
    return points.some(({ column }) => column.name === name);
  });
  return isIndexed ? (nearestPhases(query) ?? undefined) : undefined;
}

/** Name of the property whose values are read, be it of some rows only. */
function shownProperty(node: BoundNode): string | undefined {
  if (node.kind === "Choice" && node.otherwise === undefined) return shownProperty(node.value);
  return node.kind === "Property" && node.base === undefined ? node.property.name : undefined;
}
