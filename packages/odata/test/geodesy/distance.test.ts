import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { distance, lineLength } from "../../src/geodesy/distance.ts";
import type { Position } from "../../src/tree/index.ts";

const position = fc
  .tuple(fc.double({ min: -180, max: 180, noNaN: true }), fc.double({ min: -90, max: 90, noNaN: true }))
  .map(([longitude, latitude]): Position => [longitude, latitude]);

describe("distance", () => {
  // From the test cases that GeographicLib publishes with its implementations: latitude, longitude, metres.
  test.each([
    [35.60777, -139.44815, -11.17491, -69.95921, 8_935_244.560_481_83],
    [55.52454, 106.05087, 77.03196, 197.18234, 4_105_086.171_392_44],
    [-21.97856, 142.59065, 41.84138, 98.56635, 8_394_328.894_657_67],
    [-66.99028, 112.2363, -12.70631, 285.90344, 11_150_344.231_208],
    [40.6, -73.8, 51.6, -0.5, 5_551_759.400_3],
    [36.493_493_156_789, 0, -36.493_493_156_79, 179.999_999_999_999, 20_003_931.458_6],
  ])("from %d %d to %d %d is %d m", (latitude1, longitude1, latitude2, longitude2, metres) => {
    expect(distance([longitude1, latitude1], [longitude2, latitude2])).toBeCloseTo(metres, 3);
  });

  test("is the same both ways, and zero to the place itself", () => {
    fc.assert(
      fc.property(position, position, (a, b) => {
        expect(distance(a, b)).toBeCloseTo(distance(b, a) ?? Number.NaN, 6);
        expect(distance(a, a)).toBeLessThan(1e-8);
      }),
    );
  });

  test("does not see where the antimeridian is", () => {
    expect(distance([179.9, 10], [-179.9, 10])).toBeCloseTo(distance([-0.1, 10], [0.1, 10]) ?? 0, 6);
    expect(distance([540, 10], [180, 10])).toBe(0);
  });

  test.each<[Position, Position]>([
    [
      [0, 90.1],
      [0, 0],
    ],
    [[0, 0], [0]],
    [[], [0, 0]],
    [
      [0, 0],
      [Number.POSITIVE_INFINITY, 0],
    ],
  ])("from %j to %j is null: one is no place", (a, b) => {
    expect(distance(a, b)).toBeNull();
  });
});

describe("length of a line", () => {
  test("is the sum of its parts", () => {
    fc.assert(
      fc.property(fc.array(position, { minLength: 1, maxLength: 8 }), (line) => {
        const parts = line.slice(1).map((to, i) => distance(line[i] ?? to, to) ?? Number.NaN);
        expect(lineLength(line)).toBeCloseTo(
          parts.reduce((a, b) => a + b, 0),
          6,
        );
      }),
    );
  });

  test("is null where a position is no place", () => {
    expect(lineLength([[0, 91]])).toBeNull();
    expect(
      lineLength([
        [0, 0],
        [0, 91],
      ]),
    ).toBeNull();
  });
});
