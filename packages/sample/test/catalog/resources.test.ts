import { type Field, resourceNames } from "@cadastre/reso";
import { describe, expect, test } from "vitest";
import { sampleCatalog, sampleSystems } from "../../src/catalog/index.ts";

const { fieldsOf, resource } = sampleCatalog;

const property = fieldsOf("Property");
const everyField = resourceNames.flatMap((name) => fieldsOf(name).map((field) => ({ ...field, of: name })));
const isDictionaryField = ({ source, derivedFrom }: Field) => source === null && derivedFrom === undefined;

function fieldNamed(path: string): Field {
  const field = everyField.find(({ of, name }) => `${of}.${name}` === path);
  if (field === undefined) throw new Error(`no field ${path}`);
  return field;
}

describe("how many fields there are", () => {
  test("Property has 946 selectable fields", () => {
    expect(property).toHaveLength(946);
  });

  test.each([
    ["Property", 632],
    ["Media", 37],
    ["Member", 80],
    ["Office", 65],
    ["OpenHouse", 26],
    ["Lookup", 6],
  ] as const)("%s has %i fields of the dictionary", (name, count) => {
    expect(fieldsOf(name).filter(isDictionaryField)).toHaveLength(count);
  });

  test.each([
    ["lonestar", 80],
    ["hillcountry", 45],
    ["evergreen", 70],
    ["cascade", 57],
    ["gulfsun", 60],
  ])("%s has %i local fields", (id, count) => {
    expect(property.filter(({ source }) => source === id)).toHaveLength(count);
  });

  test("only Property has fields beyond the dictionary", () => {
    const beyond = everyField.filter((field) => !isDictionaryField(field)).map(({ of }) => of);
    expect(new Set(beyond)).toEqual(new Set(["Property"]));
  });
});

describe("names", () => {
  test.each(resourceNames)("%s has no name twice", (name) => {
    const names = fieldsOf(name).map((field) => field.name);
    expect(names).toEqual([...new Set(names)]);
  });

  test.each(resourceNames)("%s uses no name that the dictionary lists as a synonym", (name) => {
    const synonyms = new Set(everyField.flatMap((field) => field.synonyms));
    expect(synonyms.size).toBeGreaterThan(300);
    expect(fieldsOf(name).filter((field) => synonyms.has(field.name))).toEqual([]);
  });

  test("every name is an OData identifier", () => {
    expect(everyField.filter(({ name }) => !/^[A-Za-z_]\w{0,127}$/.test(name))).toEqual([]);
  });

  test("every display name is text without spaces around it", () => {
    expect(everyField.filter(({ displayName }) => !/^\S(.*\S)?$/.test(displayName))).toEqual([]);
  });
});

describe("local fields", () => {
  test.each(sampleSystems)("those of $name are its prefix and a PascalCase name", ({ id, prefix }) => {
    const names = property.filter(({ source }) => source === id).map(({ name }) => name);
    expect(names.filter((name) => !new RegExp(`^${prefix}([A-Z][a-z0-9]+)+(YN)?$`).test(name))).toEqual([]);
  });

  test("none is a standard name or a synonym behind a prefix", () => {
    const taken = new Set(
      everyField.filter(isDictionaryField).flatMap(({ name, synonyms }) => [name, ...synonyms]),
    );
    const bare = property.filter(({ source }) => source !== null).map(({ name }) => name.slice(4));
    expect(bare).toHaveLength(312);
    expect(bare.filter((name) => taken.has(name))).toEqual([]);
  });

  test("a name ends in YN exactly when it is a Boolean", () => {
    const local = property.filter(({ source }) => source !== null);
    expect(local.filter(({ name, type }) => name.endsWith("YN") !== (type === "Edm.Boolean"))).toEqual([]);
  });
});

describe("derived fields", () => {
  test("Placekey and Coordinates are derived", () => {
    const derived = property.filter(({ derivedFrom }) => derivedFrom !== undefined);
    expect(derived.map(({ name }) => name)).toEqual(["Coordinates", "Placekey"]);
  });

  test("each is derived from fields of its resource, and of nothing else", () => {
    const names = new Set(property.map(({ name }) => name));
    const inputs = property.flatMap(({ derivedFrom }) => derivedFrom ?? []);
    expect(inputs).toEqual(["Latitude", "Longitude", "Latitude", "Longitude"]);
    expect(inputs.filter((input) => !names.has(input))).toEqual([]);
  });
});

describe("types and facets", () => {
  const text = { type: "Edm.String", collection: false, nullable: true };
  test.each([
    ["Property.ListingKey", { ...text, maxLength: 255, nullable: false }],
    ["Property.ListPrice", { type: "Edm.Decimal", precision: 14, scale: 2, nullable: true }],
    ["Property.Latitude", { type: "Edm.Decimal", precision: 12, scale: 8 }],
    ["Property.BedroomsTotal", { type: "Edm.Int64", nullable: true }],
    ["Property.CloseDate", { type: "Edm.Date", nullable: true }],
    ["Property.PoolPrivateYN", { type: "Edm.Boolean" }],
    [
      "Property.StandardStatus",
      { ...text, lookup: "StandardStatus", lookupStatus: "Locked with Enumerations" },
    ],
    ["Property.Appliances", { type: "Edm.String", collection: true, nullable: false, lookup: "Appliances" }],
    ["Property.City", { ...text, lookup: "City", lookupStatus: "Open" }],
    ["Property.AccessCode", { ...text, maxLength: 25, synonyms: ["GateCode"] }],
    ["Property.Coordinates", { type: "Edm.GeographyPoint", srid: 4326, nullable: true, source: null }],
    ["Property.Placekey", { ...text, maxLength: 19, source: null }],
    ["Property.LSM_MudTaxDistrict", { ...text, maxLength: 80, source: "lonestar" }],
    ["Property.LSM_MudTaxRate", { type: "Edm.Decimal", precision: 7, scale: 6 }],
    [
      "Property.HCX_AgExemption",
      { ...text, lookup: "HCX_AgExemption", displayName: "Agricultural Exemption" },
    ],
    ["Property.EVG_WaterViewTypes", { collection: true, nullable: false, lookup: "EVG_WaterViewTypes" }],
    ["Property.CAS_SystemAcceptedTimestamp", { type: "Edm.DateTimeOffset", precision: 3, nullable: true }],
    ["Property.GSM_HurricaneShutters", { ...text, lookup: "GSM_HurricaneShutters", source: "gulfsun" }],
    ["Media.ModificationTimestamp", { type: "Edm.DateTimeOffset", precision: 3, nullable: false }],
    ["Lookup.LegacyODataValue", text],
  ])("%s is %o", (path, facets) => {
    expect(fieldNamed(path)).toMatchObject(facets);
  });

  test("an integer has no facets", () => {
    const integers = everyField.filter(({ type }) => type === "Edm.Int64");
    expect(integers.length).toBeGreaterThan(100);
    for (const field of integers) {
      for (const facet of ["maxLength", "precision", "scale"]) expect(field).not.toHaveProperty(facet);
    }
  });

  test("a decimal has a precision, and a scale above zero that fits it", () => {
    const decimals = everyField.filter(({ type }) => type === "Edm.Decimal");
    const misfits = decimals.filter(({ precision = 0, scale = 0 }) => scale < 1 || scale >= precision);
    expect(misfits).toEqual([]);
  });

  test("text has a length, but for the Lookup resource", () => {
    const endless = everyField.filter(
      ({ type, maxLength }) => type === "Edm.String" && maxLength === undefined,
    );
    expect(new Set(endless.map(({ of }) => of))).toEqual(new Set(["Lookup"]));
  });

  test("only text is a collection", () => {
    expect(everyField.filter(({ type, collection }) => collection && type !== "Edm.String")).toEqual([]);
  });
});

describe("nullability", () => {
  test("a collection is never null", () => {
    const collections = everyField.filter(({ collection }) => collection);
    expect(collections.length).toBeGreaterThan(100);
    expect(collections.filter(({ nullable }) => nullable)).toEqual([]);
  });

  const keyed = (key: string) => [key, "ModificationTimestamp", "OriginatingSystemName"];
  test.each([
    ["Property", keyed("ListingKey")],
    ["Media", keyed("MediaKey")],
    ["Member", keyed("MemberKey")],
    ["Office", keyed("OfficeKey")],
    ["OpenHouse", keyed("OpenHouseKey")],
    ["Lookup", ["LookupKey", "LookupName", "LookupValue", "ModificationTimestamp"]],
  ] as const)("beside collections, %s requires %j and nothing else", (name, required) => {
    const found = fieldsOf(name).filter(({ collection, nullable }) => !collection && !nullable);
    expect(found.map((field) => field.name).sort()).toEqual([...required].sort());
  });
});

test("a resource that is not served is refused", () => {
  expect(() => resource("Teams" as "Property")).toThrow("unknown resource `Teams`");
});
