import type { Row } from "@cadastre/odata";
import { expect } from "vitest";
import { toCollection } from "../support/ask.ts";
import { checkRows } from "./checks.ts";
import type { Comparison } from "./comparisons.ts";
import { type Sampled, sampleNumbers, toNumber } from "./sampling.ts";
import type { Served, ServedSet } from "./served.ts";

/** Send a comparison of a sampled field, and compare the answer, row for row, with the rows of the set. */
export async function replayComparison(
  served: Served,
  set: ServedSet,
  { kind, filter, holds, nulls }: Comparison,
  options = "",
): Promise<void> {
  const sampled = sampleNumbers(set, kind);
  if (sampled === undefined) throw new Error(`${set.name} has no ${kind} to compare`);
  const { field, values } = sampled;
  await replayFilter(served, set, {
    fields: [field],
    filter: fill(filter, sampled),
    holds: (row) => {
      const value = toNumber(row[field]);
      return value === null ? nulls : holds(value, values);
    },
    options,
  });
}

const fill = (filter: string, { field, literals }: Sampled): string =>
  filter.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    name === "field" ? field : literals[name as keyof typeof literals],
  );

export type Filtered = {
  readonly fields: readonly string[];
  readonly filter: string;
  readonly holds: (row: Row) => boolean;
  /** More options, from `&` on. */
  readonly options?: string;
};

/** Send a filter: the rows of the page satisfy it, and as many rows are counted as the set has of them. */
export async function replayFilter(
  { get }: Served,
  set: ServedSet,
  { fields, filter, holds, options = "" }: Filtered,
): Promise<void> {
  const select = [...set.key, ...fields];
  const address = `/${set.name}?$select=${select.join(",")}&$filter=${filter}`;
  const page = checkRows(await get(address + options), set, select);
  for (const row of page) expect(holds(row), `${filter} of ${JSON.stringify(row)}`).toBe(true);
  const counted = toCollection(await get(`/${set.name}?$count=true&$top=0&$filter=${filter}`));
  expect(counted["@odata.count"], filter).toBe(set.rows.filter(holds).length);
}

export type Direction = "asc" | "desc";

/** Sort by a timestamp: the page is the beginning of all rows in that order. */
export async function replayOrder(
  { get }: Served,
  set: ServedSet,
  direction: Direction,
  { fields, filter, holds }: Filtered,
  top: number,
): Promise<void> {
  const instant = sampleNumbers(set, "timestamp")?.field ?? "";
  const select = [...new Set([...set.key, ...fields, instant])];
  const where = filter === "" ? "" : `&$filter=${filter}`;
  const address = `/${set.name}?$top=${top}&$select=${select.join(",")}&$orderby=${instant} ${direction}${where}`;
  const page = checkRows(await get(address), set, select);
  const instants = (rows: readonly Row[]) => rows.map((row) => toNumber(row[instant]) ?? 0);
  const sign = direction === "asc" ? 1 : -1;
  const expected = instants(set.rows.filter(holds)).sort((a, b) => sign * (a - b));
  expect(instants(page)).toEqual(expected.slice(0, top));
}
