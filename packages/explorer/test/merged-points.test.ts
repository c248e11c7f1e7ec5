import { expect, test } from "vitest";

import { type ListingPoint, mergePoints } from "../src/map/merged-points.ts";

const point = (key: string, longitude: number, latitude: number, price?: number): ListingPoint => ({
  key,
  place: [longitude, latitude],
  price,
  status: "Active",
  seenBy: "both",
});

test("a record that two keys see at different places is at both, as each of them sees it", () => {
  const exact = [point("a", -122.3051, 47.6049, 500), point("b", -122.31, 47.6), point("c", -97.7, 30.2)];
  const masked = [point("a", -122.31, 47.6), point("b", -122.31, 47.6), point("d", -120, 45)];
  const seen = mergePoints(exact, masked).map(({ key, place, seenBy, price, otherPlace }) => ({
    key,
    place,
    seenBy,
    price,
    otherPlace,
  }));
  expect(seen).toEqual([
    { key: "a", place: [-122.3051, 47.6049], seenBy: "first", price: 500, otherPlace: [-122.31, 47.6] },
    { key: "a", place: [-122.31, 47.6], seenBy: "second", otherPlace: [-122.3051, 47.6049] },
    { key: "b", place: [-122.31, 47.6], seenBy: "both" },
    { key: "c", place: [-97.7, 30.2], seenBy: "first" },
    { key: "d", place: [-120, 45], seenBy: "second" },
  ]);
});
