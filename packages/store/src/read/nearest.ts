import { type BoundQuery, nearestPhases } from "@cadastre/odata";
import type { TableSchema } from "../schema/table.ts";
import { readsPoints } from "./area.ts";
import { pinsKey } from "./pins-key.ts";

/**
 * Queries whose rows in turn are those of a query in the order of a distance, see `nearestPhases`: an index of the
 * points serves them. Undefined for any other query.
 */
export function phasesOf(query: BoundQuery, { points }: TableSchema): readonly BoundQuery[] | undefined {
  const expression = query.orderBy[0]?.expression;
  if (expression?.kind !== "Call" || !readsPoints(expression, points) || pinsKey(query)) return undefined;
  return nearestPhases(query) ?? undefined;
}
