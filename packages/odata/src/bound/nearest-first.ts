import type { Comparator, GeoShape } from "../syntax/tree.ts";
import { allOf, type BoundCallNode, type BoundCompareNode, type BoundNode, type BoundQuery } from "./tree.ts";

/** Where the rings round a place begin, in metres: the ground of each is three times that of all inside of it. */
const starts: readonly number[] = [0, ...Array.from({ length: 14 }, (_, i) => 500 * 2 ** i)];

/**
 * Split a query whose order begins with the distance from a place, nearest first, into queries for the rows that
 * have no distance, if the filter lets any through, for those in each ring round the place from the innermost out, and for the rest. Their rows in
 * turn are the rows of the query in its order. Run them until the page is full: an index of points serves the
 * rings, whereas the query itself would sort all that matches.
 *
 * They skip nothing and ask for `skip + top` rows: the page is what follows the first `skip` of all their rows.
 * Null where the order does not begin with `geo.distance(Place,constant) asc`.
 */
export function nearestPhases<Query extends BoundQuery>(query: Query): readonly Query[] | null {
  const distance = orderingDistance(query);
  if (distance === null) return null;
  const { after, skip, top } = query;
  const last = after?.[0] ?? null;
  const limit = limitOf(query.filter, distance);
  const phase = (isFirst: boolean, ...conditions: readonly BoundNode[]): Query => ({
    ...query,
    // The ring first: of two conditions that an index serves equally well, a database takes the first.
    filter: allOf(...conditions, query.filter),
    skip: 0,
    top: skip + top,
    // The rows of a later phase all follow the last one.
    after: isFirst ? after : null,
  });
  /** Whether nothing that matches lies beyond `end`. */
  const isEnded = (end: number) => end === Number.POSITIVE_INFINITY || (limit !== null && limit < end);
  const isMissing = last === null && !(isOnEarth(distance) && impliesPlace(query.filter, distance));
  const missing = isMissing ? [phase(true, compare(distance, "eq", null))] : [];
  const rings = starts
    .map((start, i) => ({ start, end: starts[i + 1] ?? Number.POSITIVE_INFINITY }))
    .filter(({ start, end }) => !(Number(last) >= end) && !(limit !== null && start > limit))
    .map(({ start, end }, i) =>
      phase(
        last !== null && i === 0,
        ...(isEnded(end) ? [] : [compare(distance, "lt", end)]),
        ...(start === 0 ? [] : [compare(distance, "ge", start)]),
      ),
    );
  return [...missing, ...rings];
}

function orderingDistance({ orderBy: [first] }: BoundQuery): BoundCallNode | null {
  if (first === undefined || first.direction !== "asc") return null;
  const { expression } = first;
  return isDistance(expression) && expression.args.some((arg) => arg.kind === "Constant") ? expression : null;
}

const isDistance = (node: BoundNode): node is BoundCallNode =>
  node.kind === "Call" && node.entry.name === "geo.distance";

const compare = (left: BoundNode, comparator: Comparator, metres: number | null): BoundCompareNode => ({
  kind: "Compare",
  type: "Edm.Boolean",
  comparator,
  left,
  right: { kind: "Constant", type: metres === null ? "Null" : "Edm.Double", value: metres },
});

/** Whether the constant is a place on earth: from one that is not, nothing is at a distance. */
function isOnEarth({ entry, args }: BoundCallNode): boolean {
  const shape = args.find((arg) => arg.kind === "Constant")?.value;
  return shape ? entry.boxes?.(shape as GeoShape, 0)?.length !== 0 : false;
}

/** The greatest distance that a filter lets through; null where it does not say. */
function limitOf(filter: BoundNode, distance: BoundCallNode): number | null {
  if (filter.kind === "Logical" && filter.operator === "and") {
    const limits = filter.operands.flatMap((operand) => limitOf(operand, distance) ?? []);
    return limits.length === 0 ? null : Math.min(...limits);
  }
  if (filter.kind !== "Compare" || (filter.comparator !== "lt" && filter.comparator !== "le")) return null;
  const { left, right } = filter;
  return right.kind === "Constant" && right.value !== null && isSame(left, distance)
    ? Number(right.value)
    : null;
}

/**
 * Whether a row that the filter lets through has a distance: one from any place is compared, or an area holds the
 * point. Null is less than nothing, and in no area. A point that is not null may still be nowhere on earth.
 */
function impliesPlace(filter: BoundNode, distance: BoundCallNode): boolean {
  if (filter.kind === "Logical" && filter.operands.length > 0) {
    const implies = (operand: BoundNode) => impliesPlace(operand, distance);
    return filter.operator === "and" ? filter.operands.some(implies) : filter.operands.every(implies);
  }
  if (filter.kind === "Call") return filter.entry.name === "geo.intersects" && readsPointOf(filter, distance);
  if (filter.kind !== "Compare" || filter.comparator === "eq" || filter.comparator === "ne") return false;
  return [filter.left, filter.right].some((side) => isDistance(side) && readsPointOf(side, distance));
}

/** Whether a function of a constant takes the point that the distance is of. */
const readsPointOf = ({ args }: BoundCallNode, distance: BoundCallNode): boolean =>
  args.some((arg) => arg.kind === "Constant" && arg.value !== null) &&
  args.some((arg) => distance.args.some((other) => isSamePoint(arg, other)));

/** Whether two distances are of one property and one place. */
const isSame = (node: BoundNode, distance: BoundCallNode): boolean =>
  isDistance(node) &&
  node.args.every((arg, i) => {
    const other = distance.args[i];
    if (arg.kind === "Constant") return other?.kind === "Constant" && isEqual(arg.value, other.value);
    return isSamePoint(arg, other);
  });

/** Whether two nodes are one property of the entity at hand, shown on one condition. */
function isSamePoint(node: BoundNode, other: BoundNode | undefined): boolean {
  if (node.kind === "Choice" && other?.kind === "Choice")
    return (
      node.when === other.when && node.otherwise === other.otherwise && isSamePoint(node.value, other.value)
    );
  if (node.kind !== "Property" || other?.kind !== "Property") return false;
  return node.base === undefined && other.base === undefined && node.property.name === other.property.name;
}

const isEqual = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
