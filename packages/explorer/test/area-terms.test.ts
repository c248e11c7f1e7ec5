import { parseFilter } from "@cadastre/odata";
import { describe, expect, test } from "vitest";
import { type Area, areaOf, boxOfArea, withArea } from "../src/query/area-terms.ts";

const rectangle: Area = { kind: "rectangle", southWest: [-98.1, 30.1], northEast: [-97.5, 30.6] };
const circle: Area = { kind: "circle", center: [-122.3493, 47.6205], metres: 10_000 };
const polygon: Area = {
  kind: "polygon",
  corners: [
    [-98, 30],
    [-97, 30],
    [-97.5, 31],
  ],
};

describe("an area", () => {
  test.each([
    [rectangle, "Latitude ge 30.1 and Latitude le 30.6 and Longitude ge -98.1 and Longitude le -97.5"],
    [circle, "geo.distance(Coordinates,geography'SRID=4326;POINT(-122.3493 47.6205)') le 10000"],
    [polygon, "geo.intersects(Coordinates,geography'SRID=4326;POLYGON((-98 30,-97 30,-97.5 31,-98 30))')"],
  ])("of %j is a filter that parses, and is read back", (area, filter) => {
    expect(withArea("", area)).toBe(filter);
    parseFilter(filter);
    expect(areaOf(filter)).toEqual(area);
  });

  test("replaces the one before, and leaves other terms", () => {
    const before = withArea("City eq 'Austin'", rectangle);
    expect(withArea(before, circle)).toBe(
      "City eq 'Austin' and geo.distance(Coordinates,geography'SRID=4326;POINT(-122.3493 47.6205)') le 10000",
    );
    expect(withArea(before, undefined)).toBe("City eq 'Austin'");
  });

  test("has a box around it", () => {
    expect(boxOfArea(rectangle)).toEqual([
      [-98.1, 30.1],
      [-97.5, 30.6],
    ]);
    expect(boxOfArea(polygon)).toEqual([
      [-98, 30],
      [-97, 31],
    ]);
    const [[west, south], [east, north]] = boxOfArea(circle);
    expect(north - south).toBeCloseTo(0.18, 2);
    expect(east - west).toBeCloseTo(0.18 / Math.cos((47.6205 * Math.PI) / 180), 2);
  });

  test("is not read from a filter that has a part of it", () => {
    expect(areaOf("Latitude ge 30.1 and Longitude le -97.5")).toBeUndefined();
    expect(areaOf("")).toBeUndefined();
  });
});
