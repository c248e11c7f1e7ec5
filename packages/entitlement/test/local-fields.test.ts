import { compileScope, type ResourceGrant, scopeWithin, visibleEntitySet } from "@cadastre/entitlement";
import { expect, test } from "vitest";
import { entitlement, grant, oregon, texas } from "./support/documents.ts";
import { entitySets, propertySet } from "./support/model.ts";

/** `City` stands for a local field of Texas, `Latitude` for one of Oregon. */
const localFields = new Map([
  [
    "Property",
    new Map([
      ["City", texas],
      ["Latitude", oregon],
    ]),
  ],
]);

const scopeOf = (grants: Readonly<Record<string, ResourceGrant["fields"]>>) =>
  compileScope(
    {
      ...entitlement(),
      datasets: Object.entries(grants).map(([dataset, fields]) => grant(dataset, { Property: { fields } })),
    },
    { entitySets, localFields },
  );

const shown = (scope: ReturnType<typeof scopeOf>) => {
  const { properties } = visibleEntitySet(propertySet, scope).type;
  return ["City", "Latitude", "ListPrice"].filter((name) => properties.has(name));
};

test("`*` grants the fields of all datasets, and those of the datasets that are granted", () => {
  expect(shown(scopeOf({ [texas]: "*" }))).toEqual(["City", "ListPrice"]);
  expect(shown(scopeOf({ [oregon]: "*" }))).toEqual(["Latitude", "ListPrice"]);
  expect(shown(scopeOf({ [texas]: "*", [oregon]: "*" }))).toEqual(["City", "Latitude", "ListPrice"]);
});

test("a local field that is named is granted, wherever it is", () => {
  expect(shown(scopeOf({ [texas]: ["Latitude"] }))).toEqual(["Latitude"]);
});

test("a field of a dataset that is not granted does not change the hash of a scope", () => {
  const other = new Map([["Property", new Map([["City", texas]])]]);
  const document = { ...entitlement(), datasets: [grant(texas, { Property: { fields: "*" } })] };
  const withoutLatitude = entitySets.map((set) => {
    const properties = new Map(
      [...set.type.properties].filter(([name]) => name !== "Latitude" && name !== "Coordinates"),
    );
    return set.name === "Property" ? { ...set, type: { ...set.type, properties } } : set;
  });
  const before = compileScope(document, { entitySets: withoutLatitude, localFields: other });
  const withLatitude = entitySets.map((set) => {
    const properties = new Map([...set.type.properties].filter(([name]) => name !== "Coordinates"));
    return set.name === "Property" ? { ...set, type: { ...set.type, properties } } : set;
  });
  const after = compileScope(document, { entitySets: withLatitude, localFields });
  expect(after.scopeSha256).toBe(before.scopeSha256);
});

test("the part of a scope that one dataset grants shows what the whole scope shows of it", () => {
  const both = scopeOf({ [texas]: "*", [oregon]: "*" });
  expect(shown(scopeWithin(both, texas))).toEqual(["City", "Latitude", "ListPrice"]);
});
