import type { GeoShape } from "../syntax/tree.ts";
import type { BoundCallNode, BoundNode } from "./tree.ts";

export const isDistance = (node: BoundNode): node is BoundCallNode =>
  node.kind === "Call" && node.entry.name === "geo.distance";

/** True if two distances are between the same property and the same constant. */
export const isSameDistance = (node: BoundNode, distance: BoundCallNode): boolean =>
  isDistance(node) &&
  node.args.every((arg, i) => {
    const other = distance.args[i];
    if (arg.kind === "Constant") return other?.kind === "Constant" && isEqual(arg.value, other.value);
    return isSamePoint(arg, other);
  });

const isEqual = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/**
 * True if two nodes are the same property of the current entity, restricted by the same condition if at all.
 */
function isSamePoint(node: BoundNode, other: BoundNode | undefined): boolean {
  if (node.kind === "Choice" && other?.kind === "Choice") {
    const isAlike = node.when === other.when && node.otherwise === other.otherwise;
    return isAlike && isSamePoint(node.value, other.value);
  }
  if (node.kind !== "Property" || other?.kind !== "Property") return false;
  return node.base === undefined && other.base === undefined && node.property.name === other.property.name;
}

/**
 * True if every row that passes the filter has a non-null distance. `distance` is between a point and a constant. A
 * filter implies this if it requires the point to be in an area or compares its distance: a null distance satisfies
 * no comparison, and a null point is in no area.
 */
export const impliesDistance = (filter: BoundNode, distance: BoundCallNode): boolean =>
  isOnEarth(distance) &&
  implies(filter, (condition) => {
    if (condition.kind === "Call")
      return condition.entry.name === "geo.intersects" && isOfPoint(condition, distance);
    if (condition.kind !== "Compare" || condition.comparator === "eq" || condition.comparator === "ne")
      return false;
    return [condition.left, condition.right].some((side) => isDistance(side) && isOfPoint(side, distance));
  });

/**
 * True if every row that passes the filter has a non-null point. The point may still be invalid (not on earth).
 */
export const impliesPoint = (filter: BoundNode, { args }: BoundCallNode): boolean =>
  implies(filter, (condition) => {
    if (condition.kind !== "Compare" || condition.comparator !== "ne") return false;
    const { left, right } = condition;
    const isNull = (node: BoundNode) => node.kind === "Constant" && node.value === null;
    return args.some(
      (arg) => (isNull(right) && isSamePoint(left, arg)) || (isNull(left) && isSamePoint(right, arg)),
    );
  });

/** True if every row that passes the filter satisfies a condition that passes `test`. */
function implies(filter: BoundNode, test: (condition: BoundNode) => boolean): boolean {
  if (filter.kind !== "Logical" || filter.operands.length === 0) return test(filter);
  const { operator, operands } = filter;
  return operator === "and"
    ? operands.some((operand) => implies(operand, test))
    : operands.every((operand) => implies(operand, test));
}

/** True if the call takes a constant and the point of `distance`. */
const isOfPoint = ({ args }: BoundCallNode, distance: BoundCallNode): boolean =>
  args.some((arg) => arg.kind === "Constant") &&
  args.some((arg) => distance.args.some((other) => isSamePoint(arg, other)));

/** True if the constant is a valid place on earth. Distances from an invalid place are null. */
function isOnEarth({ entry, args }: BoundCallNode): boolean {
  const shape = args.find((arg) => arg.kind === "Constant")?.value;
  return shape ? entry.boxes?.(shape as GeoShape, 0)?.length !== 0 : false;
}
