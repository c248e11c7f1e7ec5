import type { BoundCallNode, BoundCompareNode, BoundNode, ConstantNode } from "../bound/tree.ts";
import type { Box } from "../geodesy/box.ts";
import { type SqlFragment, sql, value } from "../sql/fragment.ts";
import type { GeoShape } from "../syntax/tree.ts";
import type { CompileContext } from "./compile-context.ts";
import type { BoxValues, PointIndex } from "./point-index.ts";

/** A function of an indexed column of points and a constant shape. */
type PointSearch = {
  readonly index: PointIndex;
  /** True if the column is masked: it shows the points of some rows only. */
  readonly isMasked: boolean;
  readonly nullable: boolean;
  readonly shape: ConstantNode;
  readonly boxes: NonNullable<BoundCallNode["entry"]["boxes"]>;
};

/** Adds to the condition `exact` a prefilter that a point index serves, if the mapping has one. */
export function withPointIndex(
  node: BoundCallNode | BoundCompareNode,
  exact: SqlFragment,
  target: CompileContext,
): SqlFragment {
  const condition = node.kind === "Call" ? ofTruth(node, target) : ofComparison(node, target);
  return condition === null ? exact : sql`(${condition} and ${exact})`;
}

function ofTruth(node: BoundCallNode, target: CompileContext): SqlFragment | null {
  const search = node.type === "Edm.Boolean" ? searchOf(node, target) : null;
  return search && within(search, null, target);
}

/**
 * Returns the prefilter of `geo.distance(Place,…) le 5000`, in either order, and of `eq null`; null for other
 * comparisons.
 */
function ofComparison(
  { left, right, comparator }: BoundCompareNode,
  target: CompileContext,
): SqlFragment | null {
  const isMirrored = left.kind === "Constant";
  const [operand, limit] = isMirrored ? [right, left] : [left, right];
  if (limit.kind !== "Constant" || operand.kind !== "Call") return null;
  const least = isMirrored ? "gt" : "lt";
  const most = isMirrored ? "ge" : "le";
  const search = searchOf(operand, target);
  if (search === null) return null;
  if (limit.value === null) {
    // If there is no box around the constant itself, it is not on earth, and the function is null for every row.
    const isPlace = search.boxes(target.values.inlineValue(search.shape) as GeoShape, 0)?.length !== 0;
    return comparator === "eq" && isPlace && !search.isMasked ? withoutPlace(search) : null;
  }
  if (comparator !== least && comparator !== most) return null;
  return within(search, limit, target);
}

const withoutPlace = ({ index, nullable }: PointSearch): SqlFragment =>
  nullable ? index.missing : (index.misplaced ?? index.missing);

/** @param limit null for a function without a limit */
function within(
  { index, shape, boxes }: PointSearch,
  limit: ConstantNode | null,
  { dialect, values }: CompileContext,
): SqlFragment | null {
  const constants = limit === null ? [shape] : [shape, limit];
  let lastPlace: unknown;
  let lastMetres: unknown;
  let found: readonly Box[] | null = null;
  // Each bound of the boxes is a value of its own, of the same shape and limit.
  const boxesOf = ([place, metres = 0]: readonly unknown[]) => {
    if (place !== lastPlace || metres !== lastMetres) {
      found = Number.isNaN(metres) ? null : boxes(place as GeoShape, Number(metres));
      [lastPlace, lastMetres] = [place, metres];
    }
    return found;
  };
  const count = values.examine(constants, (of) => boxesOf(of)?.length ?? null);
  if (count === null) return null;
  if (count === 0) return dialect.booleanLiteral(false);
  const bound = (i: number, side: keyof Box) =>
    value(values.derive(constants, (of) => boxesOf(of)?.[i]?.[side]));
  return index.within(
    Array.from(
      { length: count },
      (_, i): BoxValues => ({
        west: bound(i, "west"),
        south: bound(i, "south"),
        east: bound(i, "east"),
        north: bound(i, "north"),
      }),
    ),
  );
}

function searchOf({ entry, args }: BoundCallNode, target: CompileContext): PointSearch | null {
  const { boxes } = entry;
  const shape = args.find((arg) => arg.kind === "Constant");
  const point = args.find((arg) => arg.kind !== "Constant");
  if (boxes === undefined || shape === undefined || point === undefined) return null;
  const index = indexOf(point, target);
  if (index === undefined) return null;
  const isMasked = point.kind === "Choice";
  const nullable = point.kind !== "Property" || point.property.nullable;
  return { index, isMasked, nullable, shape, boxes };
}

/**
 * Returns the index of a column of the current entity, which may be masked. Inside a lambda an index would not
 * help.
 */
function indexOf(node: BoundNode, target: CompileContext): PointIndex | undefined {
  if (node.kind === "Choice" && node.otherwise === undefined) return indexOf(node.value, target);
  if (node.kind !== "Property" || node.base !== undefined || target.variables.length > 0) return undefined;
  return target.place.members.column(node.property).index;
}
