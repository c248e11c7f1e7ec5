import type { BoundQuery } from "@cadastre/odata";
import type { IndexSchema } from "../schema/table.ts";
import { pinnedProperties } from "./conjuncts.ts";

/**
 * The index whose entries come in the order of the query: it begins with columns that the filter pins, and goes on
 * with the first of the order. Of several, the one with the most columns that help.
 */
export function orderIndexOf(
  { filter, orderBy }: BoundQuery,
  indexes: readonly IndexSchema[],
): IndexSchema | undefined {
  const sorted = orderBy.map(({ expression }) =>
    expression.kind === "Property" && expression.base === undefined ? expression.property.name : undefined,
  );
  const pinned = pinnedProperties(filter);
  let best: IndexSchema | undefined;
  let most = 0;
  for (const index of indexes) {
    const helping = columnsThatHelp(index.columns, pinned, sorted);
    if (helping > most) [best, most] = [index, helping];
  }
  return best;
}

/** Columns of the index that narrow or sort, from its first on; 0 where it does not sort. */
function columnsThatHelp(
  columns: readonly string[],
  pinned: ReadonlySet<string>,
  sorted: readonly (string | undefined)[],
): number {
  let place = 0;
  while (pinned.has(columns[place] ?? "")) place++;
  let sorting = 0;
  while (columns[place + sorting] !== undefined && columns[place + sorting] === sorted[sorting]) sorting++;
  return sorting === 0 ? 0 : place + sorting;
}
