import { expect, test } from "vitest";
import { metros } from "../src/metros.ts";
import { places, placesOf } from "../src/places.ts";
import { properties, text } from "./support/market.ts";

const byZip = new Map(places.map((place) => [place.zip, place]));

/** Kilometres between two points, on a sphere. */
function distance(latitude: number, longitude: number, place: (typeof places)[number]): number {
  const radians = (degrees: number): number => (degrees * Math.PI) / 180;
  const haversine = (angle: number): number => Math.sin(angle / 2) ** 2;
  const h =
    haversine(radians(latitude - place.latitude)) +
    Math.cos(radians(latitude)) *
      Math.cos(radians(place.latitude)) *
      haversine(radians(longitude - place.longitude));
  return 2 * 6371 * Math.asin(Math.sqrt(h));
}

test("every ZIP code occurs once and has a city, a county and room around its point", () => {
  expect(byZip.size).toBe(places.length);
  for (const { zip, city, county, fips, radius } of places) {
    expect(zip).toMatch(/^\d{5}$/);
    expect(fips).toMatch(/^(48|53|41|12)\d{3}$/);
    expect(city && county).toBeTruthy();
    expect(radius).toBeGreaterThanOrEqual(0.4);
  }
});

test("every metro has places and every place a metro", () => {
  expect(metros.flatMap(placesOf).length).toBe(places.length);
});

test("every listing lies in the disc of its ZIP code, which lies in its county", () => {
  for (const record of properties) {
    const place = byZip.get(text(record, "PostalCode") ?? "");
    if (place === undefined || record["Latitude"] === undefined) continue;
    expect(distance(Number(record["Latitude"]), Number(record["Longitude"]), place)).toBeLessThanOrEqual(
      place.radius,
    );
    if (record["CountyOrParish"] !== undefined) expect(record["CountyOrParish"]).toBe(place.county);
    if (record["City"] !== undefined) expect(record["City"]).toBe(place.city);
  }
});
