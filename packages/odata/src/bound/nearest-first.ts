import type { Comparator } from "../syntax/tree.ts";
import { impliesDistance, impliesPoint, isDistance, isSameDistance } from "./distance.ts";
import { allOf, type BoundCallNode, type BoundCompareNode, type BoundNode, type BoundQuery } from "./tree.ts";

/** Where the rings round a place begin, in metres: the ground of each is three times that of all inside of it. */
const starts: readonly number[] = [0, ...Array.from({ length: 14 }, (_, i) => 500 * 2 ** i)];

/**
 * Split a query whose order begins with the distance from a place, nearest first, into queries for the rows that
 * have no distance, if the filter lets any through, for those in each ring round the place from the innermost out, and
 * for the rest. Their rows in turn are the rows of the query in its order. Run them until the page is full: an index
 * of points serves the rings, whereas the query itself would sort all that matches.
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

/** The distance of points that are not null, where the filter lets no others through: an index finds what is left. */
function ofPresent(distance: BoundCallNode, filter: BoundNode): BoundCallNode {
  if (!impliesPoint(filter, distance)) return distance;
  const args = distance.args.map((arg) =>
    arg.kind === "Property" ? { ...arg, property: { ...arg.property, nullable: false } } : arg,
  );
  return { ...distance, args };
}

/** The greatest distance that a filter lets through; null where it does not say. */
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
