import type { Position } from "../syntax/tree.ts";
import { add, cross, dot, norm, scale, subtract, unitVector, type Vector } from "./vector.ts";

// Differences of points are computed before products with them: that avoids loss of precision for points close
// together.

/** Angle in radians within which a point counts as being on an edge: 0.006 mm on the ground. */
const tolerance = 1e-12;

/** Distance below which vertices are the same point, such as those at longitudes 180 and -180. */
const samePlace = 1e-14;

/** An edge: an arc of a great circle, shorter than half of it. */
export type RingEdge = {
  readonly from: Vector;
  readonly to: Vector;
  /** Normal of the arc's plane, pointing to the left of the direction of travel. */
  readonly left: Vector;
};

/** A closed line on the sphere, prepared for point-in-polygon tests. */
export type Ring = {
  readonly edges: readonly RingEdge[];
  /** True if the smaller of the two sides, which is the inside, is to the left. */
  readonly insideIsLeft: boolean;
  /** A spherical cap that contains the ring and its inside; null if they do not fit in a hemisphere. */
  readonly cap: Cap | null;
};

type Cap = {
  readonly middle: Vector;
  /** Radius as the length of a chord. */
  readonly radius: number;
  /** A direction perpendicular to `middle`, used to choose the end point of the crossing test. */
  readonly aside: Vector;
};

/**
 * Prepares a ring. Null if a vertex is not on earth, or two neighbours are antipodes, between which there is no
 * unique shortest arc.
 */
export function ringOf(positions: readonly Position[]): Ring | null {
  const vertices: Vector[] = [];
  for (const position of positions) {
    const vertex = unitVector(position);
    if (vertex === null) return null;
    const before = vertices.at(-1);
    if (before === undefined || norm(subtract(vertex, before)) > samePlace) vertices.push(vertex);
  }
  const [first, last] = [vertices[0], vertices.at(-1)];
  if (
    first !== undefined &&
    last !== undefined &&
    vertices.length > 1 &&
    norm(subtract(first, last)) <= samePlace
  ) {
    vertices.pop();
  }
  const edges = vertices.map((from, i): RingEdge => {
    const to = vertices[(i + 1) % vertices.length] ?? from;
    return { from, to, left: cross(from, subtract(to, from)) };
  });
  if (edges.some(({ from, to }) => norm(add(from, to)) < 1e-9)) return null;
  return { edges, insideIsLeft: areaToTheLeft(vertices) <= 2 * Math.PI + 1e-9, cap: capOf(vertices) };
}

/** Returns the area to the left of the ring in steradians, from 0 to 4π. */
function areaToTheLeft(vertices: readonly Vector[]): number {
  const [origin] = vertices;
  if (origin === undefined) return 0;
  let area = 0;
  for (let i = 1; i + 1 < vertices.length; i++) {
    const [b, c] = [vertices[i] ?? origin, vertices[i + 1] ?? origin];
    const volume = dot(origin, cross(subtract(b, origin), subtract(c, origin)));
    area += 2 * Math.atan2(volume, 1 + dot(origin, b) + dot(b, c) + dot(c, origin));
  }
  const sphere = 4 * Math.PI;
  return ((area % sphere) + sphere) % sphere;
}

function capOf(vertices: readonly Vector[]): Ring["cap"] {
  const sum = vertices.reduce(add, [0, 0, 0]);
  if (norm(sum) < 1e-9) return null;
  const middle = scale(sum, 1 / norm(sum));
  const radius = vertices.reduce((most, vertex) => Math.max(most, norm(subtract(vertex, middle))), 0);
  // A cap smaller than a hemisphere contains the arcs between its points. A chord of length √2 spans 90°.
  if (radius >= Math.SQRT2 - 1e-9) return null;
  const aside = cross(middle, Math.abs(middle[2]) < 0.5 ? [0, 0, 1] : [1, 0, 0]);
  return { middle, radius, aside: scale(aside, 1 / norm(aside)) };
}

/** Returns the position of a point relative to the ring. */
export function sideOf({ edges, insideIsLeft, cap }: Ring, point: Vector): "inside" | "outside" | "boundary" {
  if (cap !== null && norm(subtract(point, cap.middle)) > cap.radius + 2 * tolerance) return "outside";
  if (edges.some((edge) => isOn(edge, point))) return "boundary";
  if (edges.length < 3) return "outside";
  const isInside = cap === null ? isToTheLeft(edges, point) === insideIsLeft : isEnclosed(edges, point, cap);
  return isInside ? "inside" : "outside";
}

function isOn({ from, to, left }: RingEdge, point: Vector): boolean {
  const size = norm(left);
  if (size === 0) return norm(subtract(point, from)) <= tolerance;
  const offset = subtract(point, from);
  if (Math.abs(dot(left, offset)) > tolerance * size) return false;
  return (
    dot(cross(left, from), offset) >= -tolerance * size &&
    dot(cross(to, left), subtract(point, to)) >= -tolerance * size
  );
}

/**
 * Even-odd test: true if an arc from the point to a place outside the ring crosses it an odd number of times. The
 * two candidate end points are 45° from the antipode of the cap's middle, where no cap smaller than a hemisphere
 * reaches; the one that is not opposite to the point is used.
 */
function isEnclosed(edges: readonly RingEdge[], point: Vector, { middle, aside }: Cap): boolean {
  const side = scale(aside, dot(point, aside) < 0 ? -Math.SQRT1_2 : Math.SQRT1_2);
  const end = subtract(side, scale(middle, Math.SQRT1_2));
  const way = cross(point, subtract(end, point));
  return edges.filter((edge) => crosses(edge, point, end, way)).length % 2 === 1;
}

/**
 * True if a point that is not on the ring is to the left of it. Goes from the point to the middle of an edge: the
 * answer is the side from which that edge is reached, inverted once for every other edge crossed on the way.
 */
function isToTheLeft(edges: readonly RingEdge[], point: Vector): boolean {
  let target = edges[0];
  let bestScore = -1;
  for (const edge of edges) {
    const slope = Math.abs(dot(edge.left, subtract(point, edge.from))) / norm(edge.left);
    const score = slope * norm(cross(point, add(edge.from, edge.to)));
    if (score > bestScore) [target, bestScore] = [edge, score];
  }
  if (target === undefined) return false;
  const sum = add(target.from, target.to);
  const middle = scale(sum, 1 / norm(sum));
  const way = cross(point, subtract(middle, point));
  let isLeft = dot(target.left, subtract(point, target.from)) > 0;
  for (const edge of edges) {
    if (edge !== target && crosses(edge, point, middle, way)) isLeft = !isLeft;
  }
  return isLeft;
}

/** True if an edge crosses the arc from `start` to `end`, whose normal is `way`. */
function crosses({ from, to }: RingEdge, start: Vector, end: Vector, way: Vector): boolean {
  const [a, b] = [dot(way, subtract(from, start)), dot(way, subtract(to, start))];
  // A vertex on the arc counts as left of it, for both of its edges.
  if (a >= 0 === b >= 0) return false;
  const share = Math.abs(a) / (Math.abs(a) + Math.abs(b));
  const place = add(from, scale(subtract(to, from), share));
  return dot(cross(way, start), subtract(place, start)) > 0 && dot(cross(end, way), subtract(place, end)) > 0;
}
