import Big from "big.js";
import type { EdmNumber } from "../model/numbers.ts";
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

/** Reads a number in any of its encodings in SQLite; undefined for null and for what is no number. */
function numberOf(given: unknown, scale: unknown): EdmNumber | undefined {
  if (typeof given === "bigint") return scale === undefined ? given : new Big(`${given}e-${Number(scale)}`);
  if (typeof given === "number") return given;
  return typeof given === "string" ? fromSortable(given) : undefined;
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
        const number = numberOf(given, scale);
        if (number !== undefined) sum.add(number);
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
