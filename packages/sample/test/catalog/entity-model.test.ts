import { ownResourceNames, resourceNames } from "@cadastre/reso";
import { describe, expect, test } from "vitest";
import { sampleCatalog } from "../../src/catalog/index.ts";

const { model: entityModel, entitySet, fieldsOf } = sampleCatalog;

test("the model is the RESO container with the six resources, each an entity set", () => {
  expect(entityModel).toMatchObject({ namespace: "org.reso.metadata", container: "RESO" });
  const names = ["Property", "Media", "Member", "Office", "OpenHouse", "Lookup"];
  expect(entityModel.entitySets.map(({ name }) => name)).toEqual(names);
  expect(entityModel.entitySets.map(({ type }) => type.name)).toEqual(names);
});

test.each(ownResourceNames)("%s is ours: in no `$metadata`, with no annotation of the dictionary", (name) => {
  const { type } = entitySet(name);
  expect(entityModel.entitySets).not.toContainEqual(expect.objectContaining({ name }));
  expect([...type.properties.keys()]).toEqual(fieldsOf(name).map((field) => field.name));
  for (const property of type.properties.values()) expect(property.annotations).toBeUndefined();
  for (const field of [...type.key, "ModificationTimestamp", "OriginatingSystemName"])
    expect(type.properties.get(field)?.nullable).toBe(false);
});

test.each([
  ["MediaAsset", "MediaAssetId"],
  ["PublicRecord", "PublicRecordKey"],
  ["Property", "ListingKey"],
  ["Media", "MediaKey"],
  ["Member", "MemberKey"],
  ["Office", "OfficeKey"],
  ["OpenHouse", "OpenHouseKey"],
  ["Lookup", "LookupKey"],
] as const)("the key of %s is %s, which is text and never null", (name, key) => {
  const { type } = entitySet(name);
  expect(type.key).toEqual([key]);
  expect(type.properties.get(key)).toMatchObject({ type: "Edm.String", nullable: false });
});

describe.each(resourceNames)("%s", (name) => {
  const { properties } = entitySet(name).type;

  test("has a property for each field, under its name and with its facets", () => {
    expect([...properties.keys()]).toEqual(fieldsOf(name).map((field) => field.name));
    for (const field of fieldsOf(name)) expect(properties.get(field.name)).toMatchObject(field);
  });

  test("names the lookup of each lookup field, and of no other", () => {
    for (const field of fieldsOf(name)) {
      const annotation = properties
        .get(field.name)
        ?.annotations?.find(({ term }) => term === "RESO.OData.Metadata.LookupName");
      expect(annotation?.value).toBe(field.lookup);
    }
  });

  test("annotates no property twice with one term", () => {
    for (const { annotations = [] } of properties.values()) {
      const terms = annotations.map(({ term }) => term);
      expect(terms).toEqual([...new Set(terms)]);
    }
  });
});

test.each([
  ["ListPrice", [["RESO.OData.Metadata.StandardName", "List Price"]]],
  [
    "StandardStatus",
    [
      ["RESO.OData.Metadata.StandardName", "Standard Status"],
      ["RESO.OData.Metadata.LookupName", "StandardStatus"],
    ],
  ],
  [
    "EVG_FerryCommute",
    [
      ["RESO.OData.Metadata.DisplayName", "Ferry Commute"],
      ["RESO.OData.Metadata.LookupName", "EVG_FerryCommute"],
    ],
  ],
  // A source may bring its own Placekey, so it is not annotated as computed.
  ["Placekey", []],
  // A point has no unit of measure.
  ["Coordinates", [["Org.OData.Core.V1.Computed", true]]],
])("%s is annotated with %j", (name, annotations) => {
  const property = entitySet("Property").type.properties.get(name);
  expect(property?.annotations?.map(({ term, value }) => [term, value])).toEqual(annotations);
});

test("an entity set that is not served is refused", () => {
  expect(() => entitySet("Teams" as "Property")).toThrow("unknown entity set `Teams`");
});
