import { type BoundQuery, nearestPhases } from "@cadastre/odata";
import type { TableSchema } from "../schema/table.ts";
import { pinsKey } from "./pins-key.ts";
import { readsPoints } from "./spatial-call.ts";

/**
 * Splits a query ordered by distance into several queries, so that a spatial index serves each of them, see `nearestPhases`.
 * Their rows one after another are the rows of the query. Undefined for any other query.
 */
export function phasesOf(query: BoundQuery, { points }: TableSchema): readonly BoundQuery[] | undefined {
  const expression = query.orderBy[0]?.expression;
  if (expression?.kind !== "Call" || !readsPoints(expression, points) || pinsKey(query)) return undefined;
  return nearestPhases(query) ?? undefined;
}
