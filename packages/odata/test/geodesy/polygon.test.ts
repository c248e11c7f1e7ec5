import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { containsPoint } from "../../src/geodesy/polygon.ts";
import type { Position } from "../../src/tree/index.ts";

const ring = (text: string): readonly Position[] =>
  text.split(",").map((pair) => pair.trim().split(" ").map(Number));

const square = ring("0 0,2 0,2 2,0 2,0 0");
const hole = ring("0.5 0.5,1.5 0.5,1.5 1.5,0.5 1.5,0.5 0.5");
const arctic = ring("0 80,90 80,180 80,-90 80,0 80");
const antarctic = ring("0 -80,0 -80,-90 -80,180 -80,90 -80,0 -80");
const tropics = ring("0 20,90 20,180 20,-90 20,0 20");
const wideDiamond = ring("70 0,0 70,-70 0,0 -70,70 0");
const dateLine = ring("170 -5,-170 -5,-170 5,170 5,170 -5");
const wide = ring("0 60,90 60,90 80,0 80,0 60");
const horseshoe = ring("0 0,10 0,10 10,8 10,8 2,2 2,2 10,0 10,0 0");

describe("a polygon", () => {
  test.each<[string, readonly (readonly Position[])[], Position, boolean]>([
    ["inside", [square], [1, 1], true],
    ["outside", [square], [3, 1], false],
    ["on the other side of the earth", [square], [-179, -1], false],
    ["on an edge along a meridian", [square], [0, 1], true],
    ["on an edge along the equator", [square], [1, 0], true],
    ["at a corner", [square], [2, 2], true],
    ["north of the northern parallel, but south of its great circle", [square], [1, 2.0001], true],
    ["north of the great circle", [square], [1, 2.001], false],
    ["in a hole", [square, hole], [1, 1], false],
    ["between the outline and a hole", [square, hole], [0.25, 0.25], true],
    ["at the corner of a hole", [square, hole], [0.5, 0.5], true],
    ["on the edge of a hole along a meridian", [square, hole], [0.5, 1], true],
    ["around the north pole", [arctic], [12, 90], true],
    ["around the north pole, off it", [arctic], [45, 85.5], true],
    ["around the north pole, outside of it", [arctic], [0, 79.9], false],
    ["outside of it, where the great circle passes nearer to the pole", [arctic], [45, 81], false],
    ["around the south pole, with a repeated corner", [antarctic], [0, -90], true],
    ["around the south pole, seen from the north one", [antarctic], [0, 90], false],
    ["across the antimeridian", [dateLine], [180, 0], true],
    ["across the antimeridian, on the far side", [dateLine], [0, 0], false],
    ["south of the great circle between distant corners", [wide], [45, 60.5], false],
    ["north of it", [wide], [45, 70], true],
    ["between the arms of a horseshoe", [horseshoe], [5, 5], false],
    ["in an arm of it", [horseshoe], [9, 5], true],
    ["in line with many of its edges", [horseshoe], [5, 2], true],
    ["in line with an edge, outside", [horseshoe], [12, 2], false],
    ["in the middle of a wide ring", [tropics], [0, 90], true],
    [
      "beside a line to a place and back, over another one",
      [ring("1 1,2 2,3 3.1,2 2,1 1")],
      [100, -40],
      false,
    ],
    ["a ring of one place", [ring("1 1,1 1")], [1, 1], true],
    ["a ring that is only a line", [ring("0 0,0 2,0 0")], [0, 1], true],
    ["beside a ring that is only a line", [ring("0 0,0 2,0 0")], [0.1, 1], false],
  ])("%s", (_name, polygon, point, expected) => {
    expect(containsPoint(polygon, point)).toBe(expected);
  });

  test.each<[string, readonly (readonly Position[])[], Position]>([
    ["a point that is no place", [square], [0, 91]],
    ["a corner that is no place", [ring("0 0,2 0,2 95,0 0")], [1, 1]],
    ["an edge between antipodes", [ring("0 0,180 0,90 45,0 0")], [1, 1]],
    ["no ring", [], [1, 1]],
  ])("%s has no answer", (_name, polygon, point) => {
    expect(containsPoint(polygon, point)).toBeNull();
  });
});

test("a wide ring contains what is opposite to the end of a way out", () => {
  for (let i = -30; i <= 30; i++) {
    const away = i * 0.7e-14;
    for (const side of [45, -45]) expect(containsPoint([wideDiamond], [side + away, 0])).toBe(true);
    for (const side of [90, -90]) expect(containsPoint([tropics], [side, 45 + away])).toBe(true);
  }
});

/** A star around a middle: its corners in order of direction, so that it does not cross itself. */
const star = fc
  .record({
    longitude: fc.double({ min: -180, max: 180, noNaN: true }),
    latitude: fc.double({ min: -60, max: 60, noNaN: true }),
    size: fc.constantFrom(1e-5, 1e-3, 0.1, 5),
    radii: fc.array(fc.double({ min: 0.3, max: 1, noNaN: true }), { minLength: 5, maxLength: 12 }),
    direction: fc.double({ min: 0, max: 2 * Math.PI, noNaN: true }),
    share: fc.double({ min: 0, max: 2, noNaN: true }),
  })
  .map(({ longitude, latitude, size, radii, direction, share }) => {
    const stretch = Math.cos((latitude * Math.PI) / 180);
    const at = (angle: number, radius: number): Position => [
      longitude + (size * radius * Math.cos(angle)) / stretch,
      latitude + size * radius * Math.sin(angle),
    ];
    const corners = radii.map((radius, i) => at((i / radii.length) * 2 * Math.PI, radius));
    return { middle: [longitude, latitude] as Position, corners, point: at(direction, share) };
  });

const closed = (corners: readonly Position[]): readonly Position[] => [...corners, ...corners.slice(0, 1)];

/** Crossings of a ray, counted on the tangent plane at the point, where great circles are straight. */
function containsOnPlane(corners: readonly Position[], [lambda0 = 0, phi0 = 0]: Position): boolean {
  const radian = Math.PI / 180;
  const flat = corners.map(([lambda = 0, phi = 0]) => {
    const [d, p, p0] = [(lambda - lambda0) * radian, phi * radian, phi0 * radian];
    const depth = Math.sin(p0) * Math.sin(p) + Math.cos(p0) * Math.cos(p) * Math.cos(d);
    const north = Math.cos(p0) * Math.sin(p) - Math.sin(p0) * Math.cos(p) * Math.cos(d);
    return [(Math.cos(p) * Math.sin(d)) / depth, north / depth] as const;
  });
  let inside = false;
  for (const [i, [x1, y1]] of flat.entries()) {
    const [x2, y2] = flat[(i + 1) % flat.length] ?? [0, 0];
    if (y1 > 0 !== y2 > 0 && x1 + ((x2 - x1) * y1) / (y1 - y2) > 0) inside = !inside;
  }
  return inside;
}

describe("laws", () => {
  test("a polygon contains its corners, and a star its middle", () => {
    fc.assert(
      fc.property(star, ({ corners, middle }) => {
        for (const corner of corners) expect(containsPoint([closed(corners)], corner)).toBe(true);
        expect(containsPoint([closed(corners)], middle)).toBe(true);
      }),
    );
  });

  test("great circles are straight on a plane that touches the sphere at the point", () => {
    fc.assert(
      fc.property(star, ({ corners, point }) => {
        expect(containsPoint([closed(corners)], point)).toBe(containsOnPlane(corners, point));
      }),
      { numRuns: 500 },
    );
  });

  test("the answer depends neither on the ring's start and direction, nor on where longitudes begin", () => {
    fc.assert(
      fc.property(
        star,
        fc.nat(11),
        fc.integer({ min: -720, max: 720 }),
        ({ corners, point }, start, turn) => {
          const answer = containsPoint([closed(corners)], point);
          const moved = (position: Position) => [(position[0] ?? 0) + turn, position[1] ?? 0];
          expect(containsPoint([closed([...corners.slice(start), ...corners.slice(0, start)])], point)).toBe(
            answer,
          );
          expect(containsPoint([closed(corners.toReversed())], point)).toBe(answer);
          expect(containsPoint([closed(corners).map(moved)], moved(point))).toBe(answer);
        },
      ),
    );
  });

  test("a hole as large as the polygon leaves the boundary", () => {
    fc.assert(
      fc.property(star, ({ corners, middle }) => {
        const outline = closed(corners);
        expect(containsPoint([outline, outline], middle)).toBe(false);
        expect(containsPoint([outline, outline], corners[0] ?? middle)).toBe(true);
      }),
    );
  });
});
