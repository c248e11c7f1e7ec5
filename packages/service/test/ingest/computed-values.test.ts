import { expect, test } from "vitest";
import { withComputedValues } from "../../src/ingest/computed-values.ts";

const place = { Latitude: 30.25, Longitude: -97.75 };
const point = { type: "Point", coordinates: [-97.75, 30.25] };

test.each([
  ["there is none", place, point],
  ["it is another", { ...place, Coordinates: { type: "Point", coordinates: [0, 0] } }, point],
  ["it has another text", { ...place, Coordinates: { coordinates: [-97.75, 30.25], type: "Point" } }, point],
  ["it has more than that", { ...place, Coordinates: { ...point, crs: "EPSG:4326" } }, point],
  ["there is nothing to compute it of", { Latitude: 30.25, Coordinates: point }, undefined],
])("a computed value replaces that of a source if %s", (_, listing, expected) => {
  const before = structuredClone(listing);
  const computed = withComputedValues(listing);
  expect(JSON.stringify(computed["Coordinates"])).toBe(JSON.stringify(expected));
  expect(listing).toEqual(before);
});

test("a listing whose computed values are right is not copied", () => {
  const listing = { ...place, Coordinates: point };
  expect(withComputedValues(listing)).toBe(listing);
  const without = { Latitude: 30.25, Coordinates: null };
  expect(withComputedValues(without)).toBe(without);
});
