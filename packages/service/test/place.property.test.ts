import { whereOfCell } from "@cadastre/reso";
import { generateMarket } from "@cadastre/sample";
import { sampleCatalog, sampleSystems } from "@cadastre/sample/catalog";
import fc from "fast-check";
import { latLngToCell } from "h3-js";
import { describe, expect, test } from "vitest";
import {
  type Coordinates,
  coordinatesOf,
  doubtOf,
  isAtPlace,
  isInStateOf,
  statesOf,
} from "../src/identity/coordinates.ts";

const placekeyAt = ([latitude, longitude]: Coordinates): string =>
  `@${whereOfCell(latLngToCell(latitude, longitude, 10))}`;

const degrees = Math.PI / 180;

/** Where one gets from a place, so many kilometres along the great circle that begins in a direction. */
function destination([latitude, longitude]: Coordinates, bearing: number, kilometres: number): Coordinates {
  const [angle, from] = [kilometres / 6371.0088, latitude * degrees];
  const to = Math.asin(
    Math.sin(from) * Math.cos(angle) + Math.cos(from) * Math.sin(angle) * Math.cos(bearing * degrees),
  );
  const along = Math.atan2(
    Math.sin(bearing * degrees) * Math.sin(angle) * Math.cos(from),
    Math.cos(angle) - Math.sin(from) * Math.sin(to),
  );
  const turned = longitude + along / degrees;
  return [to / degrees, ((turned + 540) % 360) - 180];
}

const latitude = fc.double({ min: -90, max: 90, noNaN: true });
const longitude = fc.double({ min: -180, max: 180, noNaN: true });
const edges: readonly Coordinates[] = [
  [90, 0],
  [-90, 0],
  [89.999, 179.999],
  [0, 180],
  [0, -180],
  [51.9, 179.9999],
  [51.9, -179.9999],
  [-16.5, 180],
];
const places = fc.oneof(
  fc.tuple(latitude, longitude),
  fc.tuple(latitude, fc.constantFrom(180, -180, 179.9999, -179.9999)),
  fc.constantFrom(...edges),
);
const bearings = fc.double({ min: 0, max: 360, noNaN: true });

describe("a Placekey and a place, everywhere on Earth", () => {
  test("belong together up to 0.9 km from where the Placekey was made, and not from 1.1 km on", () => {
    // The middle of a hexagon is at most 0.1 km from each place in it.
    const near = fc.double({ min: 0, max: 0.9, noNaN: true });
    const far = fc.double({ min: 1.1, max: 20_000, noNaN: true });
    fc.assert(
      fc.property(places, bearings, near, far, (place, bearing, few, many) => {
        const placekey = placekeyAt(place);
        expect(isAtPlace(placekey, place)).toBe(true);
        expect(isAtPlace(placekey, destination(place, bearing, few))).toBe(true);
        expect(isAtPlace(placekey, destination(place, bearing, many))).toBe(false);
      }),
      { numRuns: 2000 },
    );
  });

  test("belong together whichever side of the 180th meridian each is on", () => {
    fc.assert(
      fc.property(fc.double({ min: -89, max: 89, noNaN: true }), (at) => {
        expect(isAtPlace(placekeyAt([at, 180]), [at, -180])).toBe(true);
        expect(isAtPlace(placekeyAt([at, -179.9999]), [at, 179.9999])).toBe(true);
      }),
    );
  });
});

test("coordinates are a place if both are numbers of degrees", () => {
  expect(coordinatesOf({ Latitude: 30, Longitude: -97 })).toEqual([30, -97]);
  for (const coordinates of [
    {},
    { Latitude: 30 },
    { Latitude: "30", Longitude: -97 },
    { Latitude: 95, Longitude: -97 },
    { Latitude: 30, Longitude: -181 },
    { Latitude: Number.NaN, Longitude: -97 },
  ])
    expect(coordinatesOf(coordinates)).toBeUndefined();
});

test("a Placekey of the Aleutians is of Alaska on both sides of the 180th meridian", () => {
  for (const place of [
    [51.88, -176.6581],
    [52.9, 172.9],
    [51.95, 179.6],
  ] as const satisfies readonly Coordinates[]) {
    expect(doubtOf(placekeyAt([...place]), { StateOrProvince: "AK" }, [])).toBeUndefined();
    expect(doubtOf(placekeyAt([...place]), { StateOrProvince: "WA" }, [])).toBe("outside_state");
  }
});

test("no listing of the sample market is doubted, and none lies outside its state", () => {
  for (const { record, datasetId } of generateMarket({ seed: 1, listings: 1000 }).rows("Property")) {
    const { Placekey } = record;
    const place = coordinatesOf(record);
    if (typeof Placekey === "string")
      expect(doubtOf(Placekey, record, statesOf(sampleCatalog, datasetId))).toBeUndefined();
    if (place !== undefined)
      expect(isInStateOf(place, record, statesOf(sampleCatalog, datasetId))).toBe(true);
  }
});

test("without a state of its own a listing may lie in any state of its system", () => {
  const [portland, seattle]: readonly [Coordinates, Coordinates] = [
    [45.5152, -122.6784],
    [47.6062, -122.3321],
  ];
  const statesOfSystem = (name: string) => sampleSystems.find(({ id }) => id === name)?.states ?? [];
  expect(isInStateOf(portland, {}, statesOfSystem("cascade"))).toBe(true);
  expect(isInStateOf(seattle, {}, statesOfSystem("cascade"))).toBe(true);
  expect(isInStateOf(portland, {}, statesOfSystem("lonestar"))).toBe(false);
  expect(isInStateOf(seattle, { StateOrProvince: "BC" }, statesOfSystem("lonestar"))).toBeUndefined();
  expect(isInStateOf(seattle, {}, [])).toBeUndefined();
});
