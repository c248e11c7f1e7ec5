import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Box, boxesAround } from "../../src/geodesy/box.ts";
import { distance } from "../../src/geodesy/distance.ts";
import { containsPoint } from "../../src/geodesy/polygon.ts";
import { boxesOfPolygon } from "../../src/geodesy/polygon-box.ts";
import type { Position } from "../../src/tree/index.ts";

const numRuns = Number(process.env["CASES"] ?? 2000);

const holds = (boxes: readonly Box[] | null, [x = 0, y = 0]: Position): boolean =>
  boxes === null ||
  boxes.some(({ west, south, east, north }) => west <= x && x <= east && south <= y && y <= north);

const within = (longitude: number): number => {
  const turned = ((longitude % 360) + 360) % 360;
  return turned > 180 ? turned - 360 : turned;
};

const double = (min: number, max: number) => fc.double({ min, max, noNaN: true });

/** Places anywhere, and those that boxes have to take care of: at the poles and on both sides of the antimeridian. */
const place = fc
  .tuple(
    fc.oneof(double(-180, 180), fc.constantFrom(-180, 180, 179.9999, -179.9999, 0)),
    fc.oneof(double(-90, 90), fc.constantFrom(-90, 90, 89.9999, -89.9999, 0)),
  )
  .map(([x, y]): Position => [x, y]);

/** A place about as far from another one as the radius, in any direction, on a sphere. */
function reckon([x = 0, y = 0]: Position, direction: number, metres: number): Position {
  const [degree, angle] = [180 / Math.PI, metres / 6_371_000];
  // At the pole itself, where every direction is the same, from a millimetre beside it.
  const phi = Math.max(-90 + 1e-8, Math.min(90 - 1e-8, y)) / degree;
  const sine = Math.sin(phi) * Math.cos(angle) + Math.cos(phi) * Math.sin(angle) * Math.cos(direction);
  const latitude = Math.asin(Math.max(-1, Math.min(1, sine)));
  const turn = Math.atan2(
    Math.sin(direction) * Math.sin(angle) * Math.cos(phi),
    Math.cos(angle) - Math.sin(phi) * Math.sin(latitude),
  );
  return [within(x + turn * degree), latitude * degree];
}

const shown = (value: unknown): string => JSON.stringify(value);

describe("boxes around a place", () => {
  const radius = fc.tuple(double(0, 7.301), double(0.97, 1.01)).map(([power]) => 10 ** power);

  test("hold every place that is near enough", () => {
    fc.assert(
      fc.property(
        place,
        radius,
        double(0, 2 * Math.PI),
        double(0.985, 1.005),
        (centre, metres, way, share) => {
          const point = reckon(centre, way, metres * share);
          const far = distance(centre, point) ?? Number.NaN;
          expect(holds(boxesAround(centre, far), point), shown([centre, far, point])).toBe(true);
          if (far <= metres) expect(holds(boxesAround(centre, metres), point)).toBe(true);
        },
      ),
      { numRuns },
    );
  });

  test("hold little more: no border is 2 % further away than it need be", () => {
    fc.assert(
      fc.property(double(-180, 180), double(-80, 80), double(1, 1e5), (x, y, metres) => {
        const boxes = boxesAround([x, y], metres) ?? [];
        const [south, north] = [boxes[0]?.south ?? 0, boxes[0]?.north ?? 0];
        const wide = boxes.reduce((sum, { west, east }) => sum + east - west, 0);
        expect(distance([x, y], [x, north])).toBeLessThan(metres * 1.02);
        expect(distance([x, y], [x, south])).toBeLessThan(metres * 1.02);
        // At the latitude where the circle is widest, which is a little nearer to the pole.
        expect(distance([0, y], [wide / 2, y])).toBeLessThan(metres * 1.08);
      }),
    );
  });

  test.each<[string, Position, number, number | null]>([
    ["one, far from everything", [-97.74, 30.27], 5000, 1],
    ["two across the antimeridian", [179.99, 0], 5000, 2],
    ["two at the antimeridian", [180, 0], 1, 2],
    ["one, of every longitude, at a pole", [12, 89.99], 5000, 1],
    ["none of no radius", [0, 0], -1, 0],
    ["none round what is no place", [0, 91], 5000, 0],
    ["all the earth", [0, 0], 20_004_000, null],
  ])("are %s", (_name, centre, metres, count) => {
    expect(boxesAround(centre, metres)?.length ?? null).toBe(count);
  });
});

describe("boxes of a polygon", () => {
  /** A star around a middle, as wide as a continent or more; its corners cross poles and the antimeridian. */
  const star = fc
    .record({
      middle: place,
      size: fc.constantFrom(1, 1e3, 1e5, 3e6, 7e6, 9.5e6),
      radii: fc.array(double(0.2, 1), { minLength: 3, maxLength: 9 }),
      way: double(0, 2 * Math.PI),
      share: double(0, 1.1),
    })
    .map(({ middle, size, radii, way, share }) => {
      const corners = radii.map((radius, i) =>
        reckon(middle, (i / radii.length) * 2 * Math.PI, size * radius),
      );
      return { ring: [...corners, ...corners.slice(0, 1)], point: reckon(middle, way, size * share) };
    });

  test("hold every point inside of it", () => {
    fc.assert(
      fc.property(star, place, ({ ring, point }, anywhere) => {
        for (const one of [point, anywhere, ...ring])
          if (containsPoint([ring], one) === true)
            expect(holds(boxesOfPolygon([ring]), one), shown([ring, one])).toBe(true);
      }),
      { numRuns },
    );
  });

  test("hold every point of any ring of half the earth, also of one that crosses itself or is only a line", () => {
    const corner = fc.tuple(double(0, 2 * Math.PI), double(0, 9.9e6));
    fc.assert(
      fc.property(
        fc
          .tuple(
            place,
            fc.array(
              fc.oneof(corner, fc.constantFrom<[number, number]>([0, 1e6], [0, 2e6], [Math.PI, 1e6])),
              { minLength: 2, maxLength: 7 },
            ),
          )
          .map(([middle, all]) => all.map(([way, metres]) => reckon(middle, way, metres))),
        fc.array(place, { maxLength: 9 }),
        (corners, points) => {
          const ring = [...corners, ...corners.slice(0, 1)];
          for (const one of [...points, ...corners])
            if (containsPoint([ring], one) === true)
              expect(holds(boxesOfPolygon([ring]), one), shown([ring, one])).toBe(true);
        },
      ),
      { numRuns },
    );
  });

  const parse = (text: string): readonly Position[] =>
    text.split(",").map((pair) => pair.split(" ").map(Number));

  test("bend with the edges towards the pole", () => {
    const [box] = boxesOfPolygon([parse("0 60,90 60,90 80,0 80,0 60")]) ?? [];
    expect(box?.north).toBeCloseTo(82.9, 1);
    expect(box?.south).toBeCloseTo(60, 6);
  });

  test.each<[string, readonly (readonly Position[])[], number | null]>([
    ["one of a square", [parse("0 0,2 0,2 2,0 2,0 0")], 1],
    ["two across the antimeridian", [parse("170 -5,-170 -5,-170 5,170 5,170 -5")], 2],
    ["one, of every longitude, round a pole", [parse("0 80,90 80,180 80,-90 80,0 80")], 1],
    ["one of a line", [parse("0 0,1 1,0 0")], 1],
    ["none where a hole is no ring", [parse("0 0,2 0,2 2,0 0"), parse("0 0,0 95,1 1,0 0")], 0],
    ["none without rings", [], 0],
    [
      "all the earth, from pole to pole",
      [parse("0 -89,60 -89,60 89,-120 89,-120 80,0 80,0 -80,180 -80,180 -89,0 -89")],
      null,
    ],
  ])("are %s", (_name, polygon, count) => {
    expect(boxesOfPolygon(polygon)?.length ?? null).toBe(count);
  });
});
