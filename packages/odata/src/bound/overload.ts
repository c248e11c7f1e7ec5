import type { FunctionEntry } from "../functions/define.ts";
import { point } from "../functions/point.ts";
import { roundTo } from "../functions/round-to.ts";
import { functionTable } from "../functions/table.ts";
import type { PrimitiveType, ValueType } from "../model/types.ts";
import { codecs } from "../model/values.ts";
import { promote } from "./promote.ts";
import type { BoundCallNode, BoundNode } from "./tree.ts";
import { fits, itemType } from "./typing.ts";

/**
 * Overload resolution: of the overloads that accept these arguments, returns the one that needs the fewest
 * promotions.
 */
export function overloadFor(
  overloads: readonly FunctionEntry[],
  args: readonly BoundNode[],
): FunctionEntry | undefined {
  const [entry] = overloads
    .filter(
      ({ params }) => params.length === args.length && params.every((param, i) => fitsParam(args[i], param)),
    )
    .toSorted((a, b) => promotions(args, a) - promotions(args, b));
  return entry;
}

function fitsParam(arg: BoundNode | undefined, param: ValueType): boolean {
  if (arg === undefined) return false;
  const [item, wanted] = [itemType(arg.type), itemType(param)];
  if (item === undefined || wanted === undefined) return fits(arg.type, param);
  return fits(item, wanted) || (arg.kind === "Constant" && holdsOnly(arg.value, wanted as PrimitiveType));
}

/**
 * True if a JSON array can be read as a collection of `type`. JSON has fewer types than the model: `["2024-01-01"]`
 * may hold dates, and `[]` anything.
 */
const holdsOnly = (items: unknown, type: PrimitiveType): boolean =>
  Array.isArray(items) &&
  items.every(
    (item) => item === null || (typeof item === "string" && codecs[type].fromJson(item) !== undefined),
  );

/** Number of arguments that the overload accepts only after promotion. */
const promotions = (args: readonly BoundNode[], { params }: FunctionEntry): number =>
  params.filter((param, i) => args[i]?.type !== param).length;

/** Returns a call of the overload that fits best; undefined if none accepts the arguments. */
export function callAmong(
  overloads: readonly FunctionEntry[],
  args: readonly BoundNode[],
): BoundCallNode | undefined {
  const entry = overloadFor(overloads, args);
  return entry && callOf(entry, args);
}

const callOf = (entry: FunctionEntry, args: readonly BoundNode[]): BoundCallNode => ({
  kind: "Call",
  type: entry.returns,
  entry,
  args: args.map((arg, i) => promote(arg, entry.params[i] ?? "Null")),
});

/**
 * Returns a call of a canonical function, as binding its text would: `callNode("length", text)`.
 *
 * @throws {TypeError} if the function has no overload for these arguments.
 */
export function callNode(name: string, ...args: readonly BoundNode[]): BoundCallNode {
  const call = callAmong(functionTable.get(name) ?? [], args);
  if (call === undefined) throw new TypeError(`\`${name}\` does not take these arguments`);
  return call;
}

/** Returns a point from two numbers in degrees; null if one is null or out of range. */
export const pointNode = (longitude: BoundNode, latitude: BoundNode): BoundCallNode =>
  callOf(point, [longitude, latitude]);

/** Rounds a decimal to at most `digits` digits after the point, half away from zero. */
export const roundToNode = (value: BoundNode, digits: number): BoundCallNode =>
  callOf(roundTo, [value, { kind: "Constant", type: "Edm.Int64", value: BigInt(digits) }]);
