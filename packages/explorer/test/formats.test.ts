import { describe, expect, test } from "vitest";
import { parseExactJson } from "../src/api/json.ts";
import { serviceErrorOf } from "../src/api/service-error.ts";
import { fitBox, fromScreen, toScreen } from "../src/map/mercator.ts";
import { byGroup } from "../src/model/field-groups.ts";
import { layoutOf, visibleColumns } from "../src/table/column-layout.ts";
import { formatValue, statusClass } from "../src/table/format.ts";

describe("values", () => {
  test.each([
    ["ListPrice", "Edm.Decimal", 361000, "361,000"],
    ["YearBuilt", "Edm.Int64", 1975, "1975"],
    ["Count", "Edm.Int64", "9007199254740993", "9007199254740993"],
    ["On", "Edm.Boolean", false, "No"],
    ["At", "Edm.DateTimeOffset", "2024-07-01T17:37:35.201Z", "2024-07-01 17:37"],
    ["Day", "Edm.Date", "2024-07-01", "2024-07-01"],
    ["Tags", "Edm.String", ["a", "b"], "a, b"],
    ["Place", "Edm.GeographyPoint", { type: "Point", coordinates: [-97.25, 32.8] }, "32.80000, -97.25000"],
    ["City", "Edm.String", null, ""],
    ["Tags", "Edm.String", [], ""],
  ] as const)("%s, an %s, %j: %j", (name, type, value, text) => {
    expect(formatValue({ name, type }, value)).toBe(text);
  });

  test("statuses have four colours", () => {
    expect(["Active", "Active Under Contract", "Closed", "Expired", null].map(statusClass)).toEqual([
      "open",
      "pending",
      "closed",
      "other",
      "other",
    ]);
  });
});

test("numbers that a double cannot hold keep their digits", () => {
  const text = '{"a":9007199254740993,"b":1.5,"c":"9007199254740993","d":0.12345678901234567891,"e":1e3}';
  // Engines before JSON.parse with source text lose the digits.
  const [hasSource] = JSON.parse("[1]", (_name, value: unknown, ...rest: unknown[]) =>
    value === 1 ? rest.length > 0 : value,
  ) as [boolean];
  expect(parseExactJson(text)).toEqual({
    a: hasSource ? "9007199254740993" : 9007199254740992,
    b: 1.5,
    c: "9007199254740993",
    d: hasSource ? "0.12345678901234567891" : 0.12345678901234568,
    e: 1000,
  });
});

describe("errors", () => {
  test("of OData have a place", () => {
    const error = serviceErrorOf(400, {
      error: {
        code: "unknown_property",
        message: "unknown property `A`",
        target: "$filter",
        details: [{ code: "position", message: "position 21 to 30", target: "$filter" }],
      },
    });
    expect([error.code, error.message, error.target, error.span]).toEqual([
      "unknown_property",
      "unknown property `A`",
      "$filter",
      { start: 21, end: 30 },
    ]);
  });

  test("below /v1 have a code", () => {
    const error = serviceErrorOf(404, { error: "not_found", message: "no such thing" });
    expect([error.status, error.code, error.message]).toEqual([404, "not_found", "no such thing"]);
  });

  test("without a body name the status", () => {
    expect(serviceErrorOf(502, undefined).code).toBe("http_502");
  });
});

describe("the map", () => {
  const transform = fitBox([-124.8, 24.4], [-66.9, 49.4], [800, 600], 40);

  test("shows a box in its middle", () => {
    const [west, south] = toScreen([-124.8, 24.4], transform);
    const [east, north] = toScreen([-66.9, 49.4], transform);
    expect((west + east) / 2).toBeCloseTo(400);
    expect((south + north) / 2).toBeCloseTo(300);
    expect(Math.min(west, north)).toBeGreaterThanOrEqual(39.9);
  });

  test("gives the place of a pixel", () => {
    const [longitude, latitude] = fromScreen(toScreen([-97.7, 30.3], transform), transform);
    expect(longitude).toBeCloseTo(-97.7);
    expect(latitude).toBeCloseTo(30.3);
  });
});

test("columns out of sight are not drawn", () => {
  const layout = layoutOf([100, 50, 200, 80]);
  expect(visibleColumns(layout, 0, 120)).toEqual([0, 2]);
  expect(visibleColumns(layout, 160, 400)).toEqual([2, 4]);
});

test("fields have groups, price first and local ones last", () => {
  const fields = ["LSM_FloodZone", "City", "ListPrice", "Appliances"].map((name) => ({ name }));
  expect(byGroup(fields).map(([title]) => title)).toEqual([
    "Price",
    "Location",
    "Features and the rest",
    "Local fields",
  ]);
});
