import { sampleCatalog } from "@cadastre/sample/catalog";
import { describe, expect, test } from "vitest";
import { mapRecord } from "../../src/ingest/mapping.ts";
import { parseMapping } from "../../src/ingest/mapping-file.ts";

const mapped = (rules: object, record: object) =>
  mapRecord(
    parseMapping(sampleCatalog, JSON.stringify({ resources: { Property: rules } }), "mapping.json"),
    "Property",
    record as Readonly<Record<string, unknown>>,
  );

describe("a mapping", () => {
  test.each<[string, object, object, object]>([
    ["renames a field", { rename: { MLSNumber: "ListingId" } }, { MLSNumber: "1" }, { ListingId: "1" }],
    ["prefers a renamed value", { rename: { A: "City" } }, { A: "x", City: "y" }, { City: "x" }],
    ["prefers it in any order", { rename: { A: "City" } }, { City: "y", A: "x" }, { City: "x" }],
    ["drops a field", { drop: ["City"] }, { City: "x", ListingId: "1" }, { ListingId: "1" }],
    ["keeps unknown fields, to be rejected", {}, { Odd: 1 }, { Odd: 1 }],
    ["drops unknown fields", { unknownFields: "drop" }, { Odd: 1, City: "x" }, { City: "x" }],
    [
      "maps a value",
      { values: { StandardStatus: { A: "Active" } } },
      { StandardStatus: "A" },
      { StandardStatus: "Active" },
    ],
    [
      "keeps another value",
      { values: { City: { A: "B" } } },
      { City: "constructor" },
      { City: "constructor" },
    ],
    ["maps a number", { values: { City: { "1": "One" } } }, { City: 1 }, { City: "One" }],
    [
      "maps each of a collection, once",
      { values: { Appliances: { D: "Dryer", DR: "Dryer", N: null } } },
      { Appliances: ["D", "DR", "N", "Oven"] },
      { Appliances: ["Dryer", "Oven"] },
    ],
    [
      "splits a text",
      { split: { Appliances: ";" }, values: { Appliances: { a: "A" } } },
      { Appliances: "a; b;;" },
      { Appliances: ["A", "b"] },
    ],
    [
      "reads a date",
      { dates: { ListingContractDate: "MM/DD/YYYY" } },
      { ListingContractDate: "1/31/2024" },
      { ListingContractDate: "2024-01-31" },
    ],
    [
      "reads a time",
      { dates: { ModificationTimestamp: "YYYY-MM-DD HH:mm:ss" } },
      { ModificationTimestamp: "2024-01-31 10:00:00" },
      { ModificationTimestamp: "2024-01-31T10:00:00Z" },
    ],
    [
      "keeps a date of another form",
      { dates: { ListingContractDate: "YYYYMMDD" } },
      { ListingContractDate: "soon" },
      { ListingContractDate: "soon" },
    ],
    [
      "gives a default where there is no value",
      { defaults: { Country: "US", City: "x" } },
      { Country: "", City: "y" },
      { Country: "US", City: "y" },
    ],
    ["gives a constant always", { constants: { Country: "US" } }, { Country: "CA" }, { Country: "US" }],
  ])("%s", (_, rules, record, wanted) => {
    expect(mapped(rules, record)).toEqual(wanted);
  });

  test("leaves records of other resources", () => {
    const mapping = parseMapping(sampleCatalog, '{"resources":{"Office":{"drop":["City"]}}}', "m");
    expect(mapRecord(mapping, "Property", { City: "x" })).toEqual({ City: "x" });
  });
});

test("all faults of a mapping file are told at once, with their positions and suggestions", () => {
  const text = [
    "resources:",
    "  Property:",
    "    rename: { A: ListPrise, B: City, C: City }",
    "    constants:",
    "      Cuntry: US",
    "    split: { City: ',' }",
    "  Propertie: {}",
  ].join("\n");
  expect(() => parseMapping(sampleCatalog, text, "mapping.yaml")).toThrow(
    [
      "mapping.yaml:3:15: Property has no field `ListPrise`: did you mean `ListPrice`?",
      "mapping.yaml:3:38: `City` is the new name of another field already",
      "mapping.yaml:5:7: Property has no field `Cuntry`: did you mean `Country`?",
      "mapping.yaml:6:14: `City` is no collection: it holds one value",
      "mapping.yaml:7:3: unknown resource `Propertie`: did you mean `Property`?",
    ].join("\n"),
  );
});

test.each([
  ["resources:\n  Property:\n    renames: {}", "m:3:5: unknown member `renames`: did you mean `rename`?"],
  ["resource: {}", "m:1:1: unknown member `resource`: did you mean `resources`?"],
  ["resources:\n  Property:\n    unknownFields: keep", "m:3:5: `resources.Property.unknownFields`"],
  ["resources: {Property: {drop: [}", "m:1:"],
  [
    "resources:\n  Property:\n    drop: [City]\n    drop: [Country]",
    "m:4:5: `drop` occurs twice in one section: keep one",
  ],
  [
    "resources:\n  Property:\n    constants:\n      OriginatingSystemName: Lone Star",
    "m:4:7: no system is called `Lone Star`: allowed are Lone Star MLS, Hill Country Exchange, ",
  ],
  [
    "resources:\n  Office:\n    defaults: { OriginatingSystemName: Cascade MSL }",
    "m:3:17: no system is called `Cascade MSL`: did you mean `Cascade MLS`? allowed are Lone Star MLS, ",
  ],
  [
    "resources:\n  Office:\n    values: { OriginatingSystemName: { LS: lonestar } }",
    "m:3:40: no system is called `lonestar`: allowed are Lone Star MLS, ",
  ],
])("%j is refused", (text, message) => {
  expect(() => parseMapping(sampleCatalog, text, "m")).toThrow(message);
});
