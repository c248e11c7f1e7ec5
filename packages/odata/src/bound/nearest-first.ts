import type { Comparator } from "../syntax/tree.ts";
import { impliesDistance, impliesPoint, isDistance, isSameDistance } from "./distance.ts";
import { allOf, type BoundCallNode, type BoundCompareNode, type BoundNode, type BoundQuery } from "./tree.ts";

/**
 * Inner radii, in metres, of the rings searched around a point. The radius doubles, so each ring covers three times
 * the area of all the rings inside it.
 */
const starts: readonly number[] = [0, ...Array.from({ length: 14 }, (_, i) => 500 * 2 ** i)];

/**
 * Nearest-neighbour search by expanding rings. Splits a query ordered by distance, nearest first, into queries for
 * the rows without a distance (if the filter admits any), for the rows in each ring from the innermost outwards,
 * and for the remaining rows. Their results, concatenated, are the rows of the query in its order. Run them until
 * the page is full: a point index serves each ring, whereas the original query sorts all matching rows.
 *
 * The queries skip nothing and ask for `skip + top` rows; drop the first `skip` rows of the concatenated result.
 * Null if the order does not begin with `geo.distance(Place,constant) asc`.
 */
export function nearestPhases<Query extends BoundQuery>(query: Query): readonly Query[] | null {
  const distance = orderingDistance(query);
  if (distance === null) return null;
  const { after, skip, top } = query;
  const last = after?.[0] ?? null;
  const limit = limitOf(query.filter, distance);
  const phase = (isFirst: boolean, ...conditions: readonly BoundNode[]): Query => ({
    ...query,
    // The ring goes first: of two conditions that an index serves equally well, a database uses the first.
    filter: allOf(...conditions, query.filter),
    skip: 0,
    top: skip + top,
    // All rows of a later phase follow the last row of the previous page.
    after: isFirst ? after : null,
  });
  /** True if no matching row lies at the distance `end` or beyond. */
  const isEnded = (end: number) => end === Number.POSITIVE_INFINITY || (limit !== null && limit < end);
  const isMissing = last === null && !impliesDistance(query.filter, distance);
  const missing = isMissing ? [phase(true, compare(ofPresent(distance, query.filter), "eq", null))] : [];
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

const compare = (left: BoundNode, comparator: Comparator, metres: number | null): BoundCompareNode => ({
  kind: "Compare",
  type: "Edm.Boolean",
  comparator,
  left,
  right: { kind: "Constant", type: metres === null ? "Null" : "Edm.Double", value: metres },
});

/**
 * Marks the point of a distance as not nullable if the filter excludes null points. An index then finds the
 * remaining rows without a distance: points that are not on earth.
 */
function ofPresent(distance: BoundCallNode, filter: BoundNode): BoundCallNode {
  if (!impliesPoint(filter, distance)) return distance;
  const args = distance.args.map((arg) =>
    arg.kind === "Property" ? { ...arg, property: { ...arg.property, nullable: false } } : arg,
  );
  return { ...distance, args };
}

/** Returns the greatest distance that a filter admits; null if the filter does not limit it. */
function limitOf(filter: BoundNode, distance: BoundCallNode): number | null {
  if (filter.kind === "Logical" && filter.operator === "and") {
    const limits = filter.operands.flatMap((operand) => limitOf(operand, distance) ?? []);
    return limits.length === 0 ? null : Math.min(...limits);
  }
  if (filter.kind !== "Compare" || (filter.comparator !== "lt" && filter.comparator !== "le")) return null;
  const { left, right } = filter;
  return right.kind === "Constant" && right.value !== null && isSameDistance(left, distance)
    ? Number(right.value)
    : null;
}
