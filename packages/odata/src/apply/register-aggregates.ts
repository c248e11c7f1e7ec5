import type Big from "big.js";
import { fromSortable, toSortable } from "../model/sortable.ts";
import { userFunctionName } from "../sql/sqlite.ts";
import { ExactSum } from "./exact-sum.ts";

/** The part of a better-sqlite3 database that {@link registerAggregates} uses. */
export type AggregateHost = {
  readonly aggregate: (
    name: string,
    options: {
      readonly start: () => ExactSum;
      readonly step: (sum: ExactSum, ...args: unknown[]) => ExactSum;
      readonly result: (sum: ExactSum) => unknown;
      readonly deterministic: boolean;
      readonly safeIntegers: boolean;
      readonly varargs: boolean;
    },
  ) => unknown;
};

/** Adds a number in any of its encodings in SQLite. Null, and what is no number, is not aggregated. */
function addTo(sum: ExactSum, given: unknown, scale: unknown): void {
  if (typeof given === "bigint") sum.add(given, scale === undefined ? 0 : Number(scale));
  else if (typeof given === "number") sum.add(given);
  else if (typeof given === "string") {
    const number = fromSortable(given);
    if (number !== undefined) sum.add(number);
  }
}

const sortableOf = (value: Big | null): string | null =>
  value === null ? null : (toSortable(value) ?? null);

/**
 * Registers the aggregate functions that a compiled `$apply` calls. Call it once for each connection to SQLite, besides
 * `registerFunctions` of `@cadastre/odata/sqlite`.
 */
export function registerAggregates(database: AggregateHost): void {
  const define = (
    method: "sum" | "average",
    type: "Edm.Decimal" | "Edm.Double",
    result: (sum: ExactSum) => unknown,
  ) =>
    database.aggregate(userFunctionName(method, [type]), {
      start: () => new ExactSum(),
      step: (sum, given, scale) => {
        addTo(sum, given, scale);
        return sum;
      },
      result,
      deterministic: true,
      safeIntegers: true,
      varargs: true,
    });
  define("sum", "Edm.Decimal", (sum) => sortableOf(sum.decimal()));
  define("average", "Edm.Decimal", (sum) => sortableOf(sum.decimalAverage()));
  define("sum", "Edm.Double", (sum) => sum.double());
  define("average", "Edm.Double", (sum) => sum.doubleAverage());
}
