import type { BoundNode } from "@cadastre/odata";
import { type BoundCallNode, conjuncts, type GeoShape } from "@cadastre/odata/tree";
import type { PointSchema } from "../schema/table.ts";

/** Area in square degrees about the size of a large city. Usually only a small part of all rows lies in such an area. */
const smallArea = 1;

/** True if all matches of a filter lie in a small area, so that a spatial index finds them. */
export const isOfSmallArea = (filter: BoundNode, points: readonly PointSchema[]): boolean =>
  points.length > 0 && conjuncts(filter).some((condition) => areaOf(condition, points) <= smallArea);

/** Returns the name of the property that a node reads, even if the node shows it for some rows only. */
function shownProperty(node: BoundNode): string | undefined {
  if (node.kind === "Choice" && node.otherwise === undefined) return shownProperty(node.value);
  return node.kind === "Property" && node.base === undefined ? node.property.name : undefined;
}

/** True if an argument of the function is a location column. */
export const readsPoints = ({ args }: BoundCallNode, points: readonly PointSchema[]): boolean =>
  args.some((arg) => {
    const name = shownProperty(arg);
    return points.some(({ column }) => column.name === name);
  });

/** Returns the area in square degrees that a condition limits results to; infinite if it sets no limit. */
function areaOf(condition: BoundNode, points: readonly PointSchema[]): number {
  const [call, limit] = spatialCall(condition);
  const shape = call?.args.find((arg) => arg.kind === "Constant")?.value;
  if (call === undefined || !shape || !readsPoints(call, points)) return Number.POSITIVE_INFINITY;
  const boxes = call.entry.boxes?.(shape as GeoShape, limit);
  return boxes
    ? boxes.reduce((sum, { west, south, east, north }) => sum + (east - west) * (north - south), 0)
    : Number.POSITIVE_INFINITY;
}

/** Returns the call of a condition that is a boolean function or a distance with an upper limit in metres. */
function spatialCall(condition: BoundNode): readonly [call: BoundCallNode | undefined, limit: number] {
  if (condition.kind === "Call") return [condition, 0];
  if (condition.kind !== "Compare") return [undefined, 0];
  const { left, right, comparator } = condition;
  const isLess = comparator === "lt" || comparator === "le";
  const isGreater = comparator === "gt" || comparator === "ge";
  if (isLess && left.kind === "Call" && right.kind === "Constant") return [left, Number(right.value)];
  if (isGreater && right.kind === "Call" && left.kind === "Constant") return [right, Number(left.value)];
  return [undefined, 0];
}
