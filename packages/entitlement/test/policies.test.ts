import { compileScope, type ResourceGrant, visibleEntitySet } from "@cadastre/entitlement";
import { evaluate } from "@cadastre/odata";
import { describe, expect, test } from "vitest";
import { entitlement, grant, oregon, scopeOf, texas } from "./support/documents.ts";
import { entitySet, mediaSet, memberSet, property, propertySet } from "./support/model.ts";
import { literal, node } from "./support/trees.ts";

const everything: ResourceGrant = { fields: "*" };

describe("private media", () => {
  const row = { DatasetId: texas, ListingDatasetId: texas };
  const isVisible = (given: ResourceGrant, permission: unknown) => {
    const scope = scopeOf({ datasets: [grant(texas, { Property: "*", Media: given })] });
    return evaluate(scope.rows("Media"), {
      ...row,
      ...(permission === undefined ? {} : { Permission: permission }),
    });
  };

  test.each([
    [["Public"], true],
    [["Public", "IDX", "VOW"], true],
    [["Idx"], true],
    [[], true],
    [null, true],
    [undefined, true],
    [["Private"], false],
    [["Public", "Private"], false],
    [["Agent Only"], false],
    [["FirmOnly"], false],
    [["Office Only", "IDX"], false],
    [["public"], false],
    [["Everybody"], false],
    [[null], false],
  ])("is what has Permission %j: for the public is %s", (permission, expected) => {
    expect(isVisible(everything, permission)).toBe(expected);
    expect(isVisible({ ...everything, private: true }, permission)).toBe(true);
  });

  test("is private whether or not the caller may see, or sees a mask of, what says so", () => {
    expect(isVisible({ fields: ["MediaURL"] }, ["Private"])).toBe(false);
    expect(isVisible({ fields: "*", masks: { Permission: "null" } }, ["Private"])).toBe(false);
  });

  test("is granted by each dataset for its own", () => {
    const datasets = [
      grant(texas, { Property: "*", Media: { fields: "*", private: true } }),
      grant(oregon, { Property: "*", Media: "*" }),
    ];
    const rows = scopeOf({ datasets }).rows("Media");
    const secret = { ListingDatasetId: texas, Permission: ["Private"] };
    expect(evaluate(rows, { ...secret, DatasetId: texas })).toBe(true);
    expect(evaluate(rows, { ...secret, DatasetId: oregon })).toBe(false);
  });

  test("is told by a predicate of the standard, and by none where every dataset grants it", () => {
    const rows = (given: ResourceGrant) =>
      scopeOf({ datasets: [grant(texas, { Property: "*", Media: given })] }).rows("Media");
    const ofAll = rows({ ...everything, private: true });
    const variable = { kind: "Variable", type: "Edm.String", name: "value" };
    const open = ["Public", "IDX", "Idx", "VOW", "Vow"];
    expect(rows(everything)).toEqual({
      kind: "Logical",
      type: "Edm.Boolean",
      operator: "and",
      operands: [
        ofAll,
        {
          kind: "Lambda",
          type: "Edm.Boolean",
          operator: "all",
          collection: node(mediaSet, "Permission"),
          variable,
          predicate: {
            kind: "Membership",
            type: "Edm.Boolean",
            operand: variable,
            values: open.map((value) => literal(value)),
          },
        },
      ],
    });
    expect(JSON.stringify(ofAll)).not.toContain("Permission");
  });

  test("is granted by one of several grants of a dataset", () => {
    const datasets = [{ fields: ["MediaURL"], private: true } as const, everything].map((Media) =>
      grant(texas, { Property: "*", Media }),
    );
    expect(evaluate(scopeOf({ datasets }).rows("Media"), { ...row, Permission: ["Private"] })).toBe(true);
  });

  test.each([
    ["is not in the model", []],
    ["is no collection", [property("Permission")]],
    ["is no text", [property("Permission", "Edm.Int64", { collection: true })]],
  ])("is all of it where the permission %s", (_, properties) => {
    const entitySets = [propertySet, entitySet("Media", "MediaKey", properties)];
    const rows = (given: ResourceGrant) =>
      compileScope(entitlement({ datasets: [grant(texas, { Property: "*", Media: given })] }), {
        entitySets,
      }).rows("Media");
    expect(evaluate(rows(everything), row)).toBe(false);
    expect(evaluate(rows({ ...everything, private: true }), row)).toBe(true);
  });
});

describe("contact fields", () => {
  const visible = (...grants: readonly ResourceGrant[]) => {
    const scope = scopeOf({ datasets: grants.map((given) => grant(texas, { Member: given })) });
    return [...visibleEntitySet(memberSet, scope).type.properties.keys()].slice(3);
  };

  test.each<readonly [ResourceGrant, readonly string[]]>([
    [{ fields: "*" }, ["MemberFullName", "MemberType"]],
    [{ fields: "*", contact: true }, ["MemberFullName", "MemberEmail", "MemberType"]],
    [{ fields: ["MemberEmail"] }, ["MemberEmail"]],
    [{ fields: ["MemberType"], contact: true }, ["MemberEmail", "MemberType"]],
  ])("are granted by name or as such: %j", (given, names) => {
    expect(visible(given)).toEqual(names);
  });

  test("are granted by one of several grants of a dataset", () => {
    expect(visible({ fields: "*" }, { fields: ["MemberEmail"] })).toContain("MemberEmail");
    expect(visible({ fields: ["MemberType"], contact: true }, { fields: "*" })).toContain("MemberEmail");
  });
});

test.each([
  ["Property", "private"],
  ["Member", "private"],
  ["Property", "contact"],
  ["Media", "contact"],
  ["Teams", "private"],
])("a resource without the policy refuses it: %s, %s", (resource, policy) => {
  const given = { fields: "*", [policy]: true } as ResourceGrant;
  expect(() => scopeOf({ datasets: [grant(texas, { [resource]: given })] })).toThrow(
    expect.objectContaining({
      code: "entitlement_unknown_policy",
      kind: "unavailable",
      details: { resource, policy },
    }),
  );
});
