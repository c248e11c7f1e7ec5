import { parseFilter } from "@cadastre/odata";
import { expect, test } from "vitest";
import { explain } from "../src/search/explain.ts";

const titles: Readonly<Record<string, string>> = { ListPrice: "List Price", YearBuilt: "Year Built" };

test.each([
  ["City eq 'Austin'", "City is “Austin”"],
  ["ListPrice lt 400000", "List Price is less than 400,000"],
  ["YearBuilt ge 1990", "Year Built is at least 1990"],
  ["City ne null", "City has a value"],
  ["City eq null", "City is empty"],
  ["Appliances/any(a:a eq 'Wine Cooler')", "Appliances includes “Wine Cooler”"],
  ["Rooms/all(r:r/Area gt 10)", "for all of Rooms, it’s Area is more than 10"],
  ["City in ('York','Austin')", "City is one of “York”, “Austin”"],
  ["not contains(City,'x')", "not: City contains “x”"],
  [
    "geo.distance(Coordinates,geography'SRID=4326;POINT(-122.35 47.62)') le 2500",
    "Coordinates is within 2.5 km of 47.62°, -122.35°",
  ],
  [
    "geo.intersects(Coordinates,geography'SRID=4326;POLYGON((0 0,1 0,1 1,0 0))')",
    "Coordinates is inside the area",
  ],
  ["a eq 1 and (b eq 2 or c eq 3)", "a is 1 and (b is 2 or c is 3)"],
  ["ListPrice lt OriginalListPrice mul 0.9", "List Price is less than OriginalListPrice × 0.9"],
  ["ListPrice gt 9007199254740993", "List Price is more than 9007199254740993"],
])("%s: %s", (filter, words) => {
  expect(explain(parseFilter(filter), (name) => titles[name] ?? name)).toBe(words);
});
