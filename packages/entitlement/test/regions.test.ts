import {
  compileScope,
  datasetProperty,
  listingProperties,
  type Region,
  resourceRules,
} from "@cadastre/entitlement";
import { evaluate } from "@cadastre/odata";
import { constant } from "@cadastre/odata/tree";
import { describe, expect, test } from "vitest";
import { entitlement, grant, scopeOf, texas } from "./support/documents.ts";
import { entitySets, propertySet, teamsSet } from "./support/model.ts";

const austin = {
  DatasetId: texas,
  OriginatingSystemName: "Lone Star MLS",
  StateOrProvince: "TX",
  CountyOrParish: "Travis",
  PostalCode: "78701",
};

const region = (text: string): Region => {
  const [kind = "", value = ""] = text.split(":");
  return { kind: kind as Region["kind"], value };
};

const cases: readonly (readonly [string, object, boolean])[] = [
  ["national:US", {}, true],
  ["national:US", { StateOrProvince: null, PostalCode: null }, true],
  ["state:TX", {}, true],
  ["state:OR", {}, false],
  ["state:TX", { StateOrProvince: "tx" }, false],
  ["state:TX", { StateOrProvince: "TXX" }, false],
  ["state:TX", { StateOrProvince: null }, false],
  ["county:TX/Travis", {}, true],
  ["county:TX/Hays", {}, false],
  ["county:OR/Travis", {}, false],
  ["county:TX/Travis", { StateOrProvince: "OR" }, false],
  ["county:TX/Travis", { StateOrProvince: null }, false],
  ["county:TX/Travis", { CountyOrParish: null }, false],
  ["county:TX/Travis", { CountyOrParish: "travis" }, false],
  ["zip:78701", {}, true],
  ["zip:78701", { PostalCode: "78701-1234" }, true],
  ["zip:78701", { PostalCode: "787011234" }, true],
  ["zip:78701", { PostalCode: "78702" }, false],
  ["zip:78701", { PostalCode: "78702-1234" }, false],
  ["zip:78701", { PostalCode: "7870" }, false],
  ["zip:78701", { PostalCode: " 78701" }, false],
  ["zip:78701", { PostalCode: "" }, false],
  ["zip:78701", { PostalCode: null }, false],
  ["zip:99999", { PostalCode: "99999-0001" }, true],
  ["zip:99999", { PostalCode: "9999:" }, false],
  ["zip:00000", { PostalCode: "00000" }, true],
  ["originating_system:Lone Star MLS", {}, true],
  ["originating_system:Lone Star", {}, false],
  ["originating_system:lone star mls", {}, false],
];

describe("a listing", () => {
  test.each(cases)("in %s with %j: %s", (text, changes, expected) => {
    expect(evaluate(scopeOf({ regions: [region(text)] }).rows("Property"), { ...austin, ...changes })).toBe(
      expected,
    );
  });

  test("is visible in any of several regions", () => {
    const regions = ["state:OR", "county:TX/Hays", "county:TX/Travis", "zip:97201", "zip:97202"].map(region);
    const rows = scopeOf({ regions }).rows("Property");
    expect(evaluate(rows, austin)).toBe(true);
    expect(evaluate(rows, { ...austin, StateOrProvince: "OR", CountyOrParish: "Lane" })).toBe(true);
    expect(evaluate(rows, { ...austin, CountyOrParish: "Hays" })).toBe(true);
    expect(evaluate(rows, { ...austin, CountyOrParish: "Bexar" })).toBe(false);
    expect(evaluate(rows, { ...austin, StateOrProvince: "WA", PostalCode: "97202-0001" })).toBe(true);
    expect(evaluate(rows, { ...austin, StateOrProvince: "WA", PostalCode: "97203" })).toBe(false);
  });

  test("of another dataset, or of none, is visible in no region", () => {
    for (const [text] of cases) {
      const rows = scopeOf({ regions: [region(text)] }).rows("Property");
      expect(evaluate(rows, { ...austin, DatasetId: "another" })).toBe(false);
      expect(evaluate(rows, { ...austin, DatasetId: null })).toBe(false);
    }
  });

  test("lies in no region that its entity set cannot tell", () => {
    const properties = new Map(
      [...propertySet.type.properties].filter(([name]) => name !== "CountyOrParish"),
    );
    const narrow = [{ ...propertySet, type: { ...propertySet.type, properties } }];
    const rows = (text: string) =>
      compileScope(entitlement({ regions: [region(text)] }), { entitySets: narrow }).rows("Property");
    expect(rows("county:TX/Travis")).toEqual(constant(false));
    expect(evaluate(rows("state:TX"), austin)).toBe(true);
  });
});

describe.each(["Media", "OpenHouse"])("%s", (resource) => {
  const row = {
    DatasetId: texas,
    ListingDatasetId: texas,
    ListingStateOrProvince: "TX",
    ListingCountyOrParish: "Travis",
    ListingPostalCode: "78701",
    ListingOriginatingSystemName: "Lone Star MLS",
  };
  const both = [grant(texas, { Property: "*", [resource]: "*" })];

  test.each(cases)("in %s, its listing with %j: %s", (text, changes, expected) => {
    const ofListing = Object.fromEntries(
      Object.entries(changes).map(([name, value]) => [`Listing${name}`, value]),
    );
    const rows = scopeOf({ regions: [region(text)], datasets: both }).rows(resource);
    expect(evaluate(rows, { ...row, ...ofListing })).toBe(expected);
  });

  test("without a listing is hidden, in the national region too", () => {
    const rows = scopeOf({ datasets: both }).rows(resource);
    expect(evaluate(rows, row)).toBe(true);
    expect(evaluate(rows, { DatasetId: texas })).toBe(false);
  });

  test("is hidden in a dataset that grants the listing alone", () => {
    const other = "2b7e1f64-0c93-4e0a-b8d1-64a7f95c3e21";
    const rows = scopeOf({ datasets: [...both, grant(other, { Property: "*" })] }).rows(resource);
    expect(evaluate(rows, { ...row, ListingDatasetId: other })).toBe(true);
    expect(evaluate(rows, { ...row, DatasetId: other })).toBe(false);
    expect(evaluate(rows, { ...row, DatasetId: other, ListingDatasetId: other })).toBe(false);
  });

  test("is hidden where the listing, or the resource itself, is not granted", () => {
    expect(scopeOf({ datasets: [grant(texas, { [resource]: "*" })] }).rows(resource)).toEqual(
      constant(false),
    );
    expect(scopeOf({ datasets: [grant(texas, { Property: "*" })] }).rows(resource)).toEqual(constant(false));
  });
});

describe("other resources", () => {
  test.each(["Member", "Office"])("%s is visible by its dataset, in whatever region", (resource) => {
    const datasets = [grant(texas, { [resource]: "*" })];
    const rows = scopeOf({ datasets, regions: [region("state:OR")] }).rows(resource);
    expect(evaluate(rows, { DatasetId: texas })).toBe(true);
    expect(evaluate(rows, { DatasetId: "another" })).toBe(false);
    expect(evaluate(rows, {})).toBe(false);
  });

  test("a resource without a rule is visible to nobody, unless the host gives it one", () => {
    const datasets = [grant(texas, { Teams: "*" })];
    expect(scopeOf({ datasets }).rows("Teams")).toEqual(constant(false));
    expect(scopeOf({ datasets }).visible("Teams")).toBe(false);
    const rules = { ...resourceRules, Teams: { by: "dataset" } } as const;
    const scope = compileScope(entitlement({ datasets }), { entitySets, rules });
    expect(evaluate(scope.rows("Teams"), { DatasetId: texas })).toBe(true);
  });

  test("a rule that names a property which nothing has shows nothing", () => {
    const regions = { state: "No", county: "No", zip: "No", originating_system: "No" };
    const rules = {
      Teams: { by: "parent", parent: "Property", dataset: "No", regions },
      Office: { by: "lookup", lookupName: "No" },
    } as const;
    const datasets = [grant(texas, { Teams: "*", Office: "*", Property: "*" })];
    const scope = compileScope(entitlement({ datasets }), { entitySets, rules });
    expect(scope.rows("Teams")).toEqual(constant(false));
    expect(scope.rows("Office")).toEqual(constant(false));
  });

  test("a resource has no rule by the accident of its name", () => {
    const named = [{ ...teamsSet, name: "constructor" }];
    const datasets = [grant(texas, { ["constructor" as string]: "*" as const })];
    const scope = compileScope(entitlement({ datasets }), { entitySets: named });
    expect(scope.rows("constructor")).toEqual(constant(false));
    expect(scope.visible("constructor")).toBe(false);
  });

  test.each(["Nothing", "constructor", "__proto__", ""])("an unknown resource `%s` has no row", (name) => {
    expect(scopeOf().rows(name)).toEqual(constant(false));
    expect(scopeOf().visible(name)).toBe(false);
  });
});

describe("Lookup", () => {
  const oregon = "2b7e1f64-0c93-4e0a-b8d1-64a7f95c3e21";
  const scope = scopeOf({
    datasets: [
      grant(texas, { Property: ["StandardStatus"], Lookup: "*" }),
      grant(oregon, { Property: ["Appliances"], Lookup: "*" }),
    ],
  });
  const isVisible = (LookupName: string, DatasetId: string | null) =>
    evaluate(scope.rows("Lookup"), { LookupName, DatasetId });

  test("a row that all datasets share is visible with a field of any of them", () => {
    expect(isVisible("StandardStatus", null)).toBe(true);
    expect(isVisible("Appliances", null)).toBe(true);
    expect(isVisible("StateOrProvince", null)).toBe(false);
    expect(isVisible("MemberType", null)).toBe(false);
  });

  test("a row of a dataset is visible with a field of that dataset", () => {
    expect(isVisible("StandardStatus", texas)).toBe(true);
    expect(isVisible("Appliances", texas)).toBe(false);
    expect(isVisible("Appliances", oregon)).toBe(true);
    expect(isVisible("Appliances", "another")).toBe(false);
  });

  test("a field of a resource that is visible to nobody shows no row", () => {
    const datasets = [grant(texas, { Teams: "*", Lookup: "*", Member: "*" })];
    const rows = scopeOf({ datasets }).rows("Lookup");
    for (const DatasetId of [texas, null]) {
      expect(evaluate(rows, { LookupName: "TeamStatus", DatasetId })).toBe(false);
      expect(evaluate(rows, { LookupName: "MemberType", DatasetId })).toBe(true);
    }
  });

  test("nothing is visible without a grant of the resource", () => {
    expect(scopeOf().rows("Lookup")).toEqual(constant(false));
  });
});

test("no entity set may have a property that a row predicate hides", () => {
  for (const property of [datasetProperty, ...Object.values(listingProperties)]) {
    const properties = new Map([...propertySet.type.properties, [property.name, property]]);
    const taken = [{ ...propertySet, type: { ...propertySet.type, properties } }];
    expect(() => compileScope(entitlement(), { entitySets: taken })).toThrow(TypeError);
  }
});

test("a national scope asks for the dataset and nothing else", () => {
  expect(scopeOf().rows("Property")).toMatchObject({ kind: "Compare", comparator: "eq" });
});
