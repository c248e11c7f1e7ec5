import type { Position } from "../syntax/tree.ts";
import { add, cross, dot, norm, scale, subtract, unitVector, type Vector } from "./vector.ts";

// Differences of places come before products with them: of places close together, that keeps the digits.

/** Radians within which a point is on an edge: 0.006 mm on the ground. */
const tolerance = 1e-12;

/** Vertices closer than this are one, such as those at longitudes 180 and -180. */
const samePlace = 1e-14;

/** An arc of a great circle, shorter than half of it. */
export type Edge = {
  readonly from: Vector;
  readonly to: Vector;
  /** Perpendicular to the arc's plane, to the left of one who walks it. */
  readonly left: Vector;
};

/** A closed line on the sphere, ready to be asked about points. */
export type Ring = {
  readonly edges: readonly Edge[];
  /** Whether the smaller of the two sides, which is the inside, is to the left. */
  readonly insideIsLeft: boolean;
  /** The cap that holds the ring and its inside; null if a hemisphere does not. */
  readonly cap: Cap | null;
};

type Cap = {
  readonly middle: Vector;
  /** As a chord. */
  readonly radius: number;
  /** To the side of the middle, by which the place to start from is chosen. */
  readonly aside: Vector;
};

/** Null if a vertex is no place on earth, or two neighbours are antipodes, between which no arc is shortest. */
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
  const edges = vertices.map((from, i): Edge => {
    const to = vertices[(i + 1) % vertices.length] ?? from;
    return { from, to, left: cross(from, subtract(to, from)) };
  });
  if (edges.some(({ from, to }) => norm(add(from, to)) < 1e-9)) return null;
  return { edges, insideIsLeft: areaToTheLeft(vertices) <= 2 * Math.PI + 1e-9, cap: capOf(vertices) };
}

/** Steradians to the left of the ring, from 0 to 4π. */
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
  // A cap up to a hemisphere holds the arcs between its points; the chord of 90° is √2.
  if (radius >= Math.SQRT2 - 1e-9) return null;
  const aside = cross(middle, Math.abs(middle[2]) < 0.5 ? [0, 0, 1] : [1, 0, 0]);
  return { middle, radius, aside: scale(aside, 1 / norm(aside)) };
}

/** Whether a point is inside of the ring, outside of it, or on it. */
export function sideOf({ edges, insideIsLeft, cap }: Ring, point: Vector): "inside" | "outside" | "boundary" {
  if (cap !== null && norm(subtract(point, cap.middle)) > cap.radius + 2 * tolerance) return "outside";
  if (edges.some((edge) => isOn(edge, point))) return "boundary";
  if (edges.length < 3) return "outside";
  const isInside = cap === null ? isToTheLeft(edges, point) === insideIsLeft : isEnclosed(edges, point, cap);
  return isInside ? "inside" : "outside";
}

function isOn({ from, to, left }: Edge, point: Vector): boolean {
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
 * Whether every way out of the ring crosses it. Two places lie 45° off the middle's antipodes, where no cap of
 * less than a hemisphere reaches; the way goes to the one that is not opposite to the point.
 */
function isEnclosed(edges: readonly Edge[], point: Vector, { middle, aside }: Cap): boolean {
  const side = scale(aside, dot(point, aside) < 0 ? -Math.SQRT1_2 : Math.SQRT1_2);
  const end = subtract(side, scale(middle, Math.SQRT1_2));
  const way = cross(point, subtract(end, point));
  return edges.filter((edge) => crosses(edge, point, end, way)).length % 2 === 1;
}

/**
 * Whether a point that is not on the ring is to the left of it. Go from the point to the middle of some edge:
 * the side from which that edge is met, changed at every other edge on the way, is the answer.
 */
function isToTheLeft(edges: readonly Edge[], point: Vector): boolean {
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

/** Whether an edge crosses the arc from `start` to `end`, which `way` is perpendicular to. */
function crosses({ from, to }: Edge, start: Vector, end: Vector, way: Vector): boolean {
  const [a, b] = [dot(way, subtract(from, start)), dot(way, subtract(to, start))];
  // A vertex on the way counts as to the left of it, for both of its edges.
  if (a >= 0 === b >= 0) return false;
  const share = Math.abs(a) / (Math.abs(a) + Math.abs(b));
  const place = add(from, scale(subtract(to, from), share));
  return dot(cross(way, start), subtract(place, start)) > 0 && dot(cross(end, way), subtract(place, end)) > 0;
}
