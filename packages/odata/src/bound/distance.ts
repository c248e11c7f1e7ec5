import type { GeoShape } from "../syntax/tree.ts";
import type { BoundCallNode, BoundNode } from "./tree.ts";

export const isDistance = (node: BoundNode): node is BoundCallNode =>
  node.kind === "Call" && node.entry.name === "geo.distance";

/** Whether two distances are of one property and one place. */
export const isSameDistance = (node: BoundNode, distance: BoundCallNode): boolean =>
  isDistance(node) &&
  node.args.every((arg, i) => {
    const other = distance.args[i];
    if (arg.kind === "Constant") return other?.kind === "Constant" && isEqual(arg.value, other.value);
    return isSamePoint(arg, other);
  });

const isEqual = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/** Whether two nodes are one property of the entity at hand, shown on one condition. */
function isSamePoint(node: BoundNode, other: BoundNode | undefined): boolean {
  if (node.kind === "Choice" && other?.kind === "Choice") {
    const isAlike = node.when === other.when && node.otherwise === other.otherwise;
    return isAlike && isSamePoint(node.value, other.value);
  }
  if (node.kind !== "Property" || other?.kind !== "Property") return false;
  return node.base === undefined && other.base === undefined && node.property.name === other.property.name;
}

/**
 * Whether every row that the filter lets through has the distance, which is of a point and a constant: it is in an area,
 * or its distance from some place is compared. Null is less than nothing, and in no area.
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

/** Whether every row that the filter lets through has the point. It may still be no place on earth. */
export const impliesPoint = (filter: BoundNode, { args }: BoundCallNode): boolean =>
  implies(filter, (condition) => {
    if (condition.kind !== "Compare" || condition.comparator !== "ne") return false;
    const { left, right } = condition;
    const isNull = (node: BoundNode) => node.kind === "Constant" && node.value === null;
    return args.some(
      (arg) => (isNull(right) && isSamePoint(left, arg)) || (isNull(left) && isSamePoint(right, arg)),
    );
  });

/** Whether all that the filter lets through meets a condition that passes `test`. */
function implies(filter: BoundNode, test: (condition: BoundNode) => boolean): boolean {
  if (filter.kind !== "Logical" || filter.operands.length === 0) return test(filter);
  const { operator, operands } = filter;
  return operator === "and"
    ? operands.some((operand) => implies(operand, test))
    : operands.every((operand) => implies(operand, test));
}

/** Whether a function of a constant takes the point that the distance is of. */
const isOfPoint = ({ args }: BoundCallNode, distance: BoundCallNode): boolean =>
  args.some((arg) => arg.kind === "Constant") &&
  args.some((arg) => distance.args.some((other) => isSamePoint(arg, other)));

/** Whether the constant is a place on earth: from one that is not, nothing has a distance. */
function isOnEarth({ entry, args }: BoundCallNode): boolean {
  const shape = args.find((arg) => arg.kind === "Constant")?.value;
  return shape ? entry.boxes?.(shape as GeoShape, 0)?.length !== 0 : false;
}
