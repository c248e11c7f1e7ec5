import {
  compileScope,
  type FieldView,
  type ResourceGrant,
  scopeWithin,
  showsWhole,
  viewFields,
  visibleEntitySet,
} from "@cadastre/entitlement";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { datasetIds, document, fieldNames } from "./support/arbitraries.ts";
import { entitlement, grant, oregon, texas } from "./support/documents.ts";
import { entitySet, entitySets, memberSet, property, propertySet } from "./support/model.ts";

const view = (given: ResourceGrant, field: string) =>
  viewFields(entitlement({ datasets: [grant(texas, { Property: given })] }), { entitySets })(
    texas,
    "Property",
    field,
  );
const all = { fields: "*" } as const;

describe("a field is told with its cause:", () => {
  test.each<readonly [string, ResourceGrant, FieldView]>([
    ["ListingKey", { fields: ["City"] }, { outcome: "shown", cause: "always_granted" }],
    ["City", all, { outcome: "shown", cause: "granted" }],
    ["City", { fields: ["ListPrice"] }, { outcome: "hidden", cause: "field_not_named" }],
    [
      "City",
      { ...all, masks: { City: "prefix1" } },
      { outcome: "masked", cause: "own_mask", mask: "prefix1" },
    ],
    ["City", { ...all, masks: { City: "null" } }, { outcome: "null", cause: "own_mask", mask: "null" }],
    [
      "Label",
      { ...all, masks: { City: "prefix1", Label: "prefix3" } },
      { outcome: "null", cause: "reveals_masked", others: ["AddressLine"] },
    ],
    [
      "Coordinates",
      { fields: ["Coordinates", "Latitude"] },
      { outcome: "hidden", cause: "input_hidden", others: ["Longitude"] },
    ],
    [
      "Coordinates",
      { ...all, masks: { Latitude: "round1" } },
      { outcome: "masked", cause: "input_masked", others: ["Latitude"] },
    ],
    [
      "GeoHash",
      { ...all, masks: { Latitude: "round1" } },
      { outcome: "null", cause: "input_masked", others: ["Latitude"] },
    ],
  ])("%s of %j", (field, given, expected) => {
    expect(view(given, field)).toEqual(expected);
  });

  test("a dataset or a resource that is not granted", () => {
    const tell = viewFields(entitlement(), { entitySets });
    expect([tell(oregon, "Property", "City"), tell(texas, "Member", "MemberType")]).toEqual([
      { outcome: "hidden", cause: "dataset_not_granted" },
      { outcome: "hidden", cause: "resource_not_granted" },
    ]);
    expect(() => tell(texas, "Property", "Gossip")).toThrow("`Property` has no field `Gossip`");
  });

  test("a contact field, which `*` leaves out and a name grants", () => {
    const tell = (given: ResourceGrant | readonly string[]) =>
      viewFields(entitlement({ datasets: [grant(texas, { Member: given })] }), { entitySets })(
        texas,
        memberSet.name,
        "MemberEmail",
      ).cause;
    expect([tell(all), tell({ ...all, contact: true }), tell(["MemberEmail"]), tell(["MemberType"])]).toEqual(
      ["contact_rule", "granted", "granted", "field_not_named"],
    );
  });
});

test("it is told as the scope shows it", () => {
  fc.assert(
    fc.property(
      document,
      fc.constantFrom(...fieldNames),
      fc.constantFrom(...datasetIds),
      (given, field, dataset) => {
        const { outcome } = viewFields(given, { entitySets })(dataset, "Property", field);
        const scope = scopeWithin(compileScope(given, { entitySets }), dataset);
        const isGranted = scope.visible("Property");
        const isVisible = isGranted && visibleEntitySet(propertySet, scope).type.properties.has(field);
        expect(outcome !== "hidden").toBe(isVisible);
        if (isVisible) expect(outcome === "shown").toBe(showsWhole(propertySet, scope, field));
      },
    ),
  );
});

test("a field of another model is told as well", () => {
  const sets = [entitySet("Property", "ListingKey", [property("Local")])];
  const given = entitlement({ datasets: [grant(texas, { Property: ["Local"] })] });
  expect(viewFields(given, { entitySets: sets })(texas, "Property", "Local").cause).toBe("granted");
});
