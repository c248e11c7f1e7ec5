import { collectionFunctions, sameItems } from "./collection.ts";
import * as date from "./date.ts";
import type { FunctionEntry } from "./define.ts";
import { enumValue } from "./enum-value.ts";
import { foldcase } from "./fold-case.ts";
import * as geo from "./geo.ts";
import * as match from "./match.ts";
import * as math from "./math.ts";
import { point } from "./point.ts";
import { roundTo } from "./round-to.ts";
import { search, words } from "./search.ts";
import * as string from "./string.ts";
import * as time from "./time.ts";

/**
 * Overloads of each function, by its name in lower case. To add a function, export a constant from one of the modules
 * that are listed here.
 */
export const functionTable: ReadonlyMap<string, readonly FunctionEntry[]> = byName([
  ...Object.values(string),
  ...Object.values(match),
  ...collectionFunctions,
  ...Object.values(date),
  ...Object.values(time),
  ...Object.values(math),
  ...Object.values(geo),
]);

/** Functions that a query cannot call: binding, compiling and masks insert them. */
export const internalFunctions: readonly FunctionEntry[] = [
  foldcase,
  words,
  search,
  point,
  roundTo,
  enumValue,
  ...sameItems,
];

function byName(entries: readonly FunctionEntry[]): Map<string, FunctionEntry[]> {
  const table = new Map<string, FunctionEntry[]>();
  for (const entry of entries) {
    const overloads = table.get(entry.name);
    if (overloads === undefined) table.set(entry.name, [entry]);
    else overloads.push(entry);
  }
  return table;
}
