import { compileScope, visibleEntitySet } from "@cadastre/entitlement";
import { bindFilter, parseFilter, type QueryError } from "@cadastre/odata";
import { describe, expect, test } from "vitest";
import { entitlement, grant, oregon, scopeOf, texas } from "./support/documents.ts";
import { lookupSet, memberSet, propertySet, teamsSet } from "./support/model.ts";

const always = ["ListingKey", "ModificationTimestamp", "OriginatingSystemName"];

const visibleNames = (...fields: readonly ("*" | readonly string[])[]) => {
  const datasets = fields.map((names, i) => grant([texas, oregon][i] ?? "", { Property: names }));
  return [...visibleEntitySet(propertySet, scopeOf({ datasets })).type.properties.keys()];
};

describe("the visible entity set", () => {
  test("has what is granted, the key, the timestamp and the originating system", () => {
    expect(visibleNames(["City"])).toEqual([...always, "City"]);
  });

  test("has what any dataset grants, in the order of the model", () => {
    expect(visibleNames(["ListPrice"], ["City"])).toEqual([...always, "City", "ListPrice"]);
  });

  test("has everything where all fields are granted", () => {
    expect(visibleNames("*")).toEqual([...propertySet.type.properties.keys()]);
  });

  test("has a derived property where it is granted and all of its inputs are, however deep", () => {
    expect(visibleNames(["GeoHash"])).toEqual(always);
    expect(visibleNames(["GeoHash", "Latitude"])).toEqual([...always, "Latitude"]);
    expect(visibleNames(["Latitude", "Longitude"])).toEqual([...always, "Latitude", "Longitude"]);
    expect(visibleNames(["GeoHashPrefix", "Latitude", "Longitude"])).not.toContain("GeoHashPrefix");
    expect(visibleNames(["GeoHash", "Latitude", "Longitude"])).toContain("GeoHash");
  });

  test("lacks a derived property whose inputs are granted by different datasets", () => {
    expect(visibleNames(["GeoHash", "Latitude"], ["GeoHash", "Longitude"])).not.toContain("GeoHash");
  });

  test("lacks a property that is derived from one that the set does not have", () => {
    const orphan = {
      name: "Orphan",
      type: "Edm.String",
      collection: false,
      nullable: true,
      derivedFrom: ["Gone"],
    } as const;
    const properties = new Map([...propertySet.type.properties, [orphan.name, orphan]]);
    const withOrphan = { ...propertySet, type: { ...propertySet.type, properties } };
    const scope = compileScope(entitlement(), { entitySets: [withOrphan] });
    expect(visibleEntitySet(withOrphan, scope).type.properties.has("Orphan")).toBe(false);
  });

  test("has what several grants of one dataset show together", () => {
    const visible = (...all: readonly ("*" | readonly string[])[]) => {
      const datasets = all.map((fields) => grant(texas, { Property: fields }));
      return [...visibleEntitySet(propertySet, scopeOf({ datasets })).type.properties.keys()];
    };
    expect(visible(["City"], ["ListPrice"])).toEqual([...always, "City", "ListPrice"]);
    expect(visible(["City"], "*")).toEqual(visible("*"));
    expect(visible("*", ["City"])).toEqual(visible("*"));
  });

  test("has nothing behind a navigation property, which nothing grants", () => {
    const structured = new Map([
      ["Media", { name: "Media", target: () => propertySet.type, collection: true }],
    ]);
    const linked = { ...propertySet, type: { ...propertySet.type, structured } };
    const scope = compileScope(entitlement(), { entitySets: [linked] });
    expect(visibleEntitySet(linked, scope).type.structured).toBeUndefined();
  });

  test("gives a hidden property the error of a misspelled one", () => {
    const visible = visibleEntitySet(
      propertySet,
      scopeOf({ datasets: [grant(texas, { Property: ["City"] })] }),
    );
    const errorOf = (name: string) => {
      try {
        return bindFilter(parseFilter(`${name} gt 1`), visible);
      } catch (error) {
        const { code, details, span, message } = error as QueryError;
        return { code, details, span, message };
      }
    };
    const hidden = JSON.stringify(errorOf("ListPrice"));
    expect(hidden).toContain("unknown_property");
    expect(hidden).toBe(JSON.stringify(errorOf("ListPrixx")).replaceAll("ListPrixx", "ListPrice"));
  });

  test("keeps the name, the key and the properties as they are", () => {
    const scope = scopeOf({ datasets: [grant(texas, { Property: ["City"] })] });
    const visible = visibleEntitySet(propertySet, scope);
    expect(visible.name).toBe("Property");
    expect(visible.type.key).toEqual(["ListingKey"]);
    expect(visible.type.properties.get("City")).toBe(propertySet.type.properties.get("City"));
  });

  test("is the same object for the same scope", () => {
    const scope = scopeOf();
    const visible = visibleEntitySet(propertySet, scope);
    expect(visibleEntitySet(propertySet, scope)).toBe(visible);
    expect(visibleEntitySet(visible, scope)).toBe(visible);
    expect(visibleEntitySet(propertySet, scopeOf())).not.toBe(visible);
  });

  test("of a resource without a grant has what identifies a row and no more", () => {
    expect([...visibleEntitySet(memberSet, scopeOf()).type.properties.keys()]).toEqual([
      "MemberKey",
      "ModificationTimestamp",
      "OriginatingSystemName",
    ]);
    expect(visibleEntitySet(lookupSet, scopeOf()).type.properties.has("LookupValue")).toBe(false);
  });

  test("of a set that the scope was not compiled with, or of a copy of a scope, does not exist", () => {
    expect(() => visibleEntitySet({ ...teamsSet, name: "Nothing" }, scopeOf())).toThrow(TypeError);
    const copy: object = structuredClone({ customer: scopeOf().customer });
    // @ts-expect-error what looks like a scope is not a scope
    expect(() => visibleEntitySet(propertySet, copy)).toThrow(TypeError);
  });
});
