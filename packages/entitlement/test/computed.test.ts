import { compileScope, type ResourceGrant, restrict, visibleEntitySet } from "@cadastre/entitlement";
import { evaluate, matches } from "@cadastre/odata";
import { propertyNode } from "@cadastre/odata/tree";
import { expect, test } from "vitest";
import { entitlement, grant, oregon, texas } from "./support/documents.ts";
import { entitySet, property } from "./support/model.ts";
import { compare, literal, query } from "./support/trees.ts";

const homes = entitySet("Property", "ListingKey", [
  property("Street", "Edm.String"),
  property("Latitude", "Edm.Double"),
  property("City", "Edm.String"),
]);
const placeId = { ...property("PlaceId", "Edm.String"), derivedFrom: ["Street", "Latitude"] };
const rules = {
  Property: {
    by: "dataset",
    hostReadable: [
      placeId,
      { ...placeId, name: "Lost", derivedFrom: ["Nowhere"] },
      property("Unsaid", "Edm.String"),
    ],
  },
} as const;

const scopeOf = (inTexas: ResourceGrant, inOregon: ResourceGrant = { fields: "*" }) =>
  compileScope(
    entitlement({ datasets: [grant(texas, { Property: inTexas }), grant(oregon, { Property: inOregon })] }),
    { entitySets: [homes], rules },
  );

/** Whether the row of a dataset is found by what is computed for it. */
function finds(scope: ReturnType<typeof scopeOf>, name: string, DatasetId: string): boolean {
  const filter = compare(propertyNode({ ...placeId, name }), "eq", literal("id"));
  const restricted = restrict(query(visibleEntitySet(homes, scope), { filter }), scope);
  return matches(restricted.filter, { DatasetId, PlaceId: "id", Lost: "id", Unsaid: "id" });
}

test.each<[string, ResourceGrant, boolean]>([
  ["every field", { fields: "*" }, true],
  ["what it comes from", { fields: ["Street", "Latitude"] }, true],
  ["a part of what it comes from", { fields: ["Street", "City"] }, false],
  ["what it comes from, masked", { fields: "*", masks: { Latitude: "round2" } }, false],
  ["what it comes from, with something else masked", { fields: "*", masks: { City: "prefix1" } }, true],
  ["none of it", { fields: ["City"] }, false],
])("what is computed reads null but in datasets that show %s", (_, inTexas, isFound) => {
  const scope = scopeOf(inTexas);
  expect(finds(scope, "PlaceId", texas)).toBe(isFound);
  expect(finds(scope, "PlaceId", oregon)).toBe(true);
  expect(finds(scopeOf(inTexas, inTexas), "PlaceId", texas)).toBe(isFound);
  expect(finds(scope, "Lost", texas)).toBe(false);
  expect(finds(scope, "Unsaid", texas)).toBe(false);
});

test("what is computed is in no entity set, and a query of the host selects of it what datasets show", () => {
  const scope = scopeOf({ fields: ["City"] });
  const visible = visibleEntitySet(homes, scope);
  expect(visible.type.properties.has("PlaceId")).toBe(false);
  const select = [{ property: placeId, expression: propertyNode(placeId) }];
  const [selected] = restrict(query(visible, { select }), scope).select;
  const valueIn = (DatasetId: string) =>
    selected && evaluate(selected.expression, { DatasetId, PlaceId: "id" });
  expect([valueIn(texas), valueIn(oregon)]).toEqual([null, "id"]);
  const hidden = { ...placeId, name: "Other" };
  const other = [{ property: hidden, expression: propertyNode(hidden) }];
  expect(() => restrict(query(visible, { select: other }), scope)).toThrow(TypeError);
});

test("a resource has a rule, granted or not, or proves nothing", () => {
  const scope = scopeOf({ fields: "*" });
  const none = compileScope(entitlement(), { entitySets: [homes], rules: {} });
  expect([scope.restricts("Property"), none.restricts("Property"), scope.restricts("Nope")]).toEqual([
    true,
    false,
    false,
  ]);
});
