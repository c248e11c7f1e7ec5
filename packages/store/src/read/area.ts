import type { BoundCallNode, BoundNode, GeoShape } from "@cadastre/odata";
import type { PointSchema } from "../schema/table.ts";
import { conjuncts } from "./conjuncts.ts";

/** Square degrees: a large city. Few rows lie in it, of all. */
const smallArea = 1;

/** Whether all that a filter finds lies in a small area, by points that an index finds. */
export const isOfSmallArea = (filter: BoundNode, points: readonly PointSchema[]): boolean =>
  points.length > 0 && conjuncts(filter).some((condition) => areaOf(condition, points) <= smallArea);

/** Name of the property whose values are read, be it of some rows only. */
function shownProperty(node: BoundNode): string | undefined {
  if (node.kind === "Choice" && node.otherwise === undefined) return shownProperty(node.value);
  return node.kind === "Property" && node.base === undefined ? node.property.name : undefined;
}

/** Whether a function takes a column of points. */
export const readsPoints = ({ args }: BoundCallNode, points: readonly PointSchema[]): boolean =>
  args.some((arg) => {
    const name = shownProperty(arg);
    return points.some(({ column }) => column.name === name);
  });

/** Square degrees, infinite where the condition sets no bounds. */
function areaOf(condition: BoundNode, points: readonly PointSchema[]): number {
  const [call, limit] = searchOf(condition);
  const shape = call?.args.find((arg) => arg.kind === "Constant")?.value;
  if (call === undefined || !shape || !readsPoints(call, points)) return Number.POSITIVE_INFINITY;
  const boxes = call.entry.boxes?.(shape as GeoShape, limit);
  return boxes
    ? boxes.reduce((sum, { west, south, east, north }) => sum + (east - west) * (north - south), 0)
    : Number.POSITIVE_INFINITY;
}

/** A function that is to be true, or to be at most so many metres. */
function searchOf(condition: BoundNode): readonly [call: BoundCallNode | undefined, limit: number] {
  if (condition.kind === "Call") return [condition, 0];
  if (condition.kind !== "Compare") return [undefined, 0];
  const { left, right, comparator } = condition;
  const isLess = comparator === "lt" || comparator === "le";
  const isGreater = comparator === "gt" || comparator === "ge";
  if (isLess && left.kind === "Call" && right.kind === "Constant") return [left, Number(right.value)];
  if (isGreater && right.kind === "Call" && left.kind === "Constant") return [right, Number(left.value)];
  return [undefined, 0];
}
