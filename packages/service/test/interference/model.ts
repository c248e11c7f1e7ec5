import {
  type BoundQuery,
  bindQuery,
  compareRows,
  type EntitySet,
  matches,
  parseFilter,
  parseOrderBy,
  parseSelect,
  QueryError,
  type Row,
} from "@cadastre/odata";
import { entitled, type Grants, seenSet, type World } from "./projection.ts";
import type { Request } from "./requests.ts";
import { optionsOf } from "./targets.ts";

/*
 * Reference model of the service over arrays: evaluates the query over the records as the caller may see them.
 */

/** One page, or the code of the error. */
export type Answer =
  | { readonly code: string }
  | { readonly count: number | undefined; readonly value: readonly Row[]; readonly isLast: boolean };

/** The service's default page size. */
const pageSize = 3;

const defaultOrder = ["ModificationTimestamp"];

/** Returns the pages of a collection, at most `pages`. */
export function answers(request: Request, world: World, grants: Grants, pages: number): readonly Answer[] {
  const { resource } = request;
  const set = seenSet(resource, grants);
  if (set === undefined) return [{ code: "not_found" }];
  const options = optionsOf(request, grants);
  try {
    const query = bound(options, set);
    const rows = entitled(world, grants)
      .filter((row) => row.resource === resource)
      .map(({ record }) => record)
      .filter((row) => matches(query.filter, row))
      .toSorted((a, b) => compareRows(query.orderBy, a, b));
    return pagesOf(rows, query, options).slice(0, pages);
  } catch (error) {
    if (error instanceof QueryError) return [{ code: error.code }];
    throw error;
  }
}

function bound(options: Request["options"], set: EntitySet): BoundQuery {
  const { $filter, $orderby, $select, $top, $skip, $ignorecase } = options;
  const parts = {
    filter: $filter === undefined ? undefined : parseFilter($filter),
    orderBy: $orderby === undefined ? undefined : parseOrderBy($orderby),
    select: $select === undefined ? undefined : parseSelect($select),
    top: Number($top ?? pageSize),
    skip: Number($skip ?? 0),
  };
  return bindQuery(parts, set, defaultOrder, { ignoreCase: $ignorecase === "true" });
}

function pagesOf(rows: readonly Row[], query: BoundQuery, options: Request["options"]): readonly Answer[] {
  const { top, skip, select } = query;
  const count = options["$count"] === "true" ? rows.length : undefined;
  const show = (row: Row): Row => {
    const members = select.map(({ property: { name, collection } }) => [
      name,
      row[name] ?? (collection ? [] : null),
    ]);
    const isWritten = ([, value]: readonly unknown[]) => options["$ignorenulls"] !== "true" || value !== null;
    return Object.fromEntries(members.filter(isWritten)) as Row;
  };
  if (top === 0) return [{ count, value: [], isLast: true }];
  const pages: Answer[] = [];
  let start = skip;
  do {
    const value = rows.slice(start, start + top).map(show);
    start += top;
    pages.push({ count, value, isLast: start >= rows.length });
  } while (start < rows.length);
  return pages;
}
