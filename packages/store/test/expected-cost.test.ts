import { describe, expect, test } from "vitest";
import { type AnswerParts, expectedCost } from "../src/read/expected-cost.ts";
import { tableOf } from "../src/schema/table.ts";
import { askCottages, cottageScopes, cottagesResource } from "./support/cottages.ts";
import { askHomes, homesResource } from "./support/homes.ts";
import { type Asked, ask, oregon, scopeOf, stored, texas } from "./support/listings.ts";

const page: AnswerParts = { page: true };
const count: AnswerParts = { count: true };

/** Indexed are the key, ModificationTimestamp, City and ListPrice; BedroomsTotal has a column alone, YearBuilt and PoolYN none. */
describe("the expected cost", () => {
  test.each<[string, Asked, AnswerParts]>([
    ["bounded", { filter: "ListingKey eq 'a'" }, page],
    ["bounded", { filter: "ListingKey eq 'a' and contains(CountyOrParish,'x')" }, page],
    ["bounded", { filter: "ListingKey eq 'a'" }, count],
    ["unknown", {}, page],
    ["unknown", { filter: "ListingKey in ('a','b')" }, page],
    ["unknown", { orderBy: "ModificationTimestamp desc" }, page],
    ["unknown", { filter: "City eq 'Austin'" }, page],
    ["unknown", { filter: "City eq 'Austin'" }, count],
    ["unknown", { filter: "City eq 'Austin' and contains(CountyOrParish,'x')", orderBy: "YearBuilt" }, page],
    ["unknown", { filter: "City eq 'Austin' or ListPrice gt 5" }, count],
    ["unknown", { filter: "startswith(City,'Aus')" }, count],
    ["unknown", { filter: "5 lt ListPrice" }, count],
    ["unknown", { filter: "BedroomsTotal eq 3" }, page],
    ["unbounded", { filter: "BedroomsTotal eq 3" }, count],
    ["unbounded", { filter: "YearBuilt eq 1999" }, page],
    ["unbounded", { filter: "contains(City,'x')" }, page],
    ["unbounded", { filter: "startswith(City,'')" }, count],
    ["unbounded", { filter: "City ne 'Austin'" }, count],
    ["unbounded", { filter: "City eq CountyOrParish" }, count],
    ["unbounded", { filter: "City eq 'Austin' or PoolYN" }, page],
    ["unbounded", { filter: "not (City eq 'Austin')" }, count],
    ["unbounded", { filter: "Appliances/any(a:a eq 'Oven')" }, page],
    ["unbounded", { orderBy: "BedroomsTotal" }, page],
    ["unbounded", {}, count],
    ["unbounded", {}, { page: true, count: true }],
    ["unknown", { filter: "YearBuilt eq 1999" }, { page: true, changes: true }],
  ])("is %s of %j, asked for %j", (expected, asked, parts) => {
    expect(expectedCost(ask(asked), tableOf(stored), parts)).toBe(expected);
  });

  test.each([
    ["unknown", { filter: "Town eq 'x'", ignoreCase: true }, count],
    ["unknown", { filter: "startswith(Town,'x')", ignoreCase: true }, count],
    ["unbounded", { filter: "Town eq 'x'" }, count],
    ["unbounded", { filter: "contains(Town,'x')", ignoreCase: true }, page],
    ["unknown", { filter: "geo.distance(Place,geography'SRID=4326;POINT(1 2)') le 1000" }, count],
    ["unknown", { orderBy: "geo.distance(Place,geography'SRID=4326;POINT(1 2)')" }, page],
    ["unbounded", { filter: "geo.distance(Place,geography'SRID=4326;POINT(1 2)') ge 1000" }, count],
  ] as const)("is %s of %j over places and texts without case", (expected, asked, parts) => {
    expect(expectedCost(askHomes(asked), tableOf(homesResource), parts)).toBe(expected);
  });

  test.each([
    ["unknown", { filter: "contains(Remarks,'sea')" }, count],
    ["unknown", { filter: "endswith(tolower(Remarks),'sea')", orderBy: "Street" }, page],
    ["unknown", { filter: "tolower(Street) eq 'main street'" }, count],
    ["unknown", { filter: "contains(Remarks,'SEA')", ignoreCase: true }, count],
    ["unknown", { filter: "contains(Remarks,'sea') or startswith(Street,'Main')" }, count],
    ["unbounded", { filter: "contains(Remarks,'se')" }, page],
    ["unbounded", { filter: "contains(Remarks,'')" }, page],
    ["unbounded", { filter: "contains(Remarks,Street)" }, page],
    ["unbounded", { filter: "not contains(Remarks,'sea')" }, page],
    ["unbounded", { filter: "contains(Remarks,'sea') or Rank eq 1 or contains(Street,'x')" }, page],
    ["unbounded", { filter: "contains(CottageKey,'sea')" }, page],
  ] as const)("is %s of %j over texts with a trigram index", (expected, asked, parts) => {
    expect(expectedCost(askCottages(asked), tableOf(cottagesResource), parts)).toBe(expected);
  });

  test("is unbounded if the trigram index has texts that a customer is not granted", () => {
    const asked = { filter: "contains(Remarks,'sea')" };
    expect(expectedCost(askCottages(asked, cottageScopes.partly), tableOf(cottagesResource), page)).toBe(
      "unbounded",
    );
  });

  test("does not depend on the scope, which a customer cannot choose", () => {
    for (const scope of [
      scopeOf({ [texas]: "*" }, "TX"),
      scopeOf({ [texas]: "*", [oregon]: ["ListingKey", "City", "ModificationTimestamp"] }),
    ]) {
      const costs = [{}, { filter: "City eq 'Austin'" }, { orderBy: "City" }].map((asked) =>
        expectedCost(ask(asked, scope), tableOf(stored), page),
      );
      expect(costs).toEqual(["unknown", "unknown", "unknown"]);
      expect(expectedCost(ask({}, scope), tableOf(stored), count)).toBe("unbounded");
    }
  });
});
