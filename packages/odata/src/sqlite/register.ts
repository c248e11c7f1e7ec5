import Big from "big.js";
import { temporalRules } from "../bound/arithmetic.ts";
import { isCastable } from "../bound/call.ts";
import { isNumeric } from "../bound/typing.ts";
import { arithmetic, negate } from "../evaluate/arithmetic.ts";
import { cast, isOf } from "../evaluate/cast.ts";
import { functionTable, internalFunctions } from "../functions/table.ts";
import { toSortable } from "../model/sortable.ts";
import { parseInstant } from "../model/temporal.ts";
import type { PrimitiveType, ValueType } from "../model/types.ts";
import { codecs } from "../model/values.ts";
import { shapeForms } from "../sql/shape-forms.ts";
import { userFunctionName } from "../sql/sqlite.ts";
import type { ArithmeticOperator } from "../syntax/tree.ts";
import { fromSqlite, toSqlite } from "./forms.ts";

/** The part of a better-sqlite3 database that this module uses. */
export type FunctionHost = {
  readonly function: (
    name: string,
    options: { readonly deterministic: boolean; readonly safeIntegers: boolean; readonly varargs: boolean },
    body: (...args: unknown[]) => unknown,
  ) => unknown;
};

type Body = (args: readonly unknown[]) => unknown;

/**
 * Registers the functions that compiled queries call: all functions, operations and conversions that SQLite's own
 * SQL lacks, implemented by their in-memory versions. Call it once for each connection, before its first query.
 */
export function registerFunctions(database: FunctionHost): void {
  const register = (name: string, types: readonly ValueType[], body: Body) =>
    database.function(
      userFunctionName(name, types),
      { deterministic: true, safeIntegers: true, varargs: true },
      (...args) => body(args),
    );
  /** Registers a function of values in memory form; it returns null if an argument is null. */
  const define = (name: string, types: readonly ValueType[], returns: ValueType, body: Body) => {
    const readers = types.map(readerOf);
    register(name, types, (args) => {
      const values = args.map((arg, i) => readers[i]?.(arg));
      return values.includes(null) ? null : toSqlite(body(values), returns);
    });
  };

  for (const { name, params, returns, evaluate } of [
    ...[...functionTable.values()].flat(),
    ...internalFunctions,
  ]) {
    define(name, params, returns, evaluate);
  }
  for (const [operator, left, right, returns] of operations) {
    define(operator, [left, right], returns, ([a, b]) => arithmetic(operator, returns, a, b));
  }
  for (const type of negatable) define("negate", [type], type, ([value]) => negate(type, value));
  for (const [from, to] of conversions) {
    define("cast", [from, to], to, ([value]) => cast(value, from, to));
    if (!isNumeric(from) || !isNumeric(to)) continue;
    register("isof", [from, to], ([value]) => {
      const inMemory = fromSqlite(value, from);
      return inMemory !== null && isOf(inMemory, from, to) ? 1n : 0n;
    });
  }
  register("number", [], ([value, scale]) => {
    if (typeof value === "number") return toSortable(value) ?? null;
    if (typeof value !== "bigint") return null;
    return toSortable(scale === undefined ? value : shifted(value, Number(scale))) ?? null;
  });
  register("instant", [], ([value]) => {
    const instant = typeof value === "string" ? parseInstant(value) : undefined;
    return instant === undefined ? null : toSqlite(instant, "Edm.DateTimeOffset");
  });
}

/** Returns a reader of arguments. For shapes it caches the last one parsed, because a polygon is usually constant. */
function readerOf(type: ValueType): (arg: unknown) => unknown {
  if (!Object.hasOwn(shapeForms, type)) return (arg) => fromSqlite(arg, type);
  let text: unknown;
  let shape: unknown = null;
  return (arg) => {
    if (arg !== text) [text, shape] = [arg, fromSqlite(arg, type)];
    return shape;
  };
}

const numeric = [
  "Edm.Int64",
  "Edm.Decimal",
  "Edm.Single",
  "Edm.Double",
] as const satisfies readonly PrimitiveType[];
const negatable: readonly PrimitiveType[] = [...numeric, "Edm.Duration"];
const operators = [
  "add",
  "sub",
  "mul",
  "div",
  "divby",
  "mod",
] as const satisfies readonly ArithmeticOperator[];

type Operation = readonly [ArithmeticOperator, PrimitiveType, PrimitiveType, PrimitiveType];

const operations: readonly Operation[] = [
  ...operators.flatMap((operator) => numeric.map((type): Operation => [operator, type, type, type])),
  ...temporalRules,
];

const types = Object.keys(codecs) as PrimitiveType[];

const conversions = types.flatMap((from) =>
  types.filter((to) => isCastable(from, to)).map((to) => [from, to] as const),
);

/** Returns the decimal of an integer with `scale` digits after the point. */
const shifted = (value: bigint, scale: number): Big => new Big(`${value}e-${scale}`);
