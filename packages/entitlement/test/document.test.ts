import {
  EntitlementError,
  type EntitlementErrorCode,
  entitlementErrors,
  parseEntitlement,
} from "@cadastre/entitlement";
import { describe, expect, test } from "vitest";
import { entitlement, grant, oregon, texas } from "./support/documents.ts";

const region = (kind: string, value: string) => ({ regions: [{ kind, value }] });
const twice = <T>(item: T) => [item, item];

const path = "datasets.0.resources.Property";
const granting = (given: object) => ({
  datasets: [{ dataset_id: texas, resources: { Property: given } }],
});

const refusals: readonly (readonly [string, object, EntitlementErrorCode, string])[] = [
  ["an unknown member", { admin: true }, "entitlement_unknown_member", "document"],
  [
    "an unknown channel",
    { channels: { api: true, odata: true, file_delivery: true, ftp: true } },
    "entitlement_unknown_member",
    "channels",
  ],
  [
    "an unknown member of a region",
    { regions: [{ kind: "state", value: "TX", not: true }] },
    "entitlement_unknown_member",
    "regions.0",
  ],
  ["no mask", granting({ fields: "*", masks: {} }), "entitlement_empty_list", `${path}.masks`],
  ...[
    "prefix0",
    "prefix33",
    "prefix03",
    "prefix",
    "round9",
    "round",
    "round-1",
    "Null",
    "hash",
    "null\n",
  ].map(
    (mask) =>
      [
        `the unknown mask ${JSON.stringify(mask)}`,
        granting({ fields: "*", masks: { City: mask } }),
        "entitlement_invalid",
        `${path}.masks.City`,
      ] as const,
  ),
  [
    "a mask that is no text",
    granting({ fields: "*", masks: { City: null } }),
    "entitlement_invalid",
    `${path}.masks.City`,
  ],
  [
    "private rows that are not granted, written out",
    granting({ fields: "*", private: false }),
    "entitlement_unknown_value",
    `${path}.private`,
  ],
  [
    "contact fields that are not granted, written out",
    granting({ fields: "*", contact: false }),
    "entitlement_unknown_value",
    `${path}.contact`,
  ],
  ["an unknown member of a grant", granting({ fields: "*", rows: "*" }), "entitlement_unknown_member", path],
  [
    "a missing channel",
    { channels: { api: true, odata: true } },
    "entitlement_invalid",
    "channels.file_delivery",
  ],
  ["no product", { products: [] }, "entitlement_empty_list", "products"],
  ["no capability, written out", { capabilities: [] }, "entitlement_empty_list", "capabilities"],
  ["no region", { regions: [] }, "entitlement_empty_list", "regions"],
  ["no limit, written out", { limits: {} }, "entitlement_empty_list", "limits"],
  ["no dataset", { datasets: [] }, "entitlement_empty_list", "datasets"],
  ["no resource", { datasets: [grant(texas, {})] }, "entitlement_empty_list", "datasets.0.resources"],
  [
    "no field",
    { datasets: [grant(texas, { Property: [] })] },
    "entitlement_empty_list",
    "datasets.0.resources.Property.fields",
  ],
  ["a product twice", { products: twice("listing") }, "entitlement_duplicate", "products"],
  ["a region twice", { regions: twice({ kind: "state", value: "TX" }) }, "entitlement_duplicate", "regions"],
  [
    "a region twice, in another order of members",
    {
      regions: [
        { kind: "state", value: "TX" },
        { value: "TX", kind: "state" },
      ],
    },
    "entitlement_duplicate",
    "regions",
  ],
  [
    "a dataset twice",
    { datasets: [grant(texas, { Property: "*" }), grant(texas, { Media: "*" })] },
    "entitlement_duplicate",
    "datasets",
  ],
  [
    "a field twice",
    { datasets: [grant(texas, { Property: twice("City") })] },
    "entitlement_duplicate",
    "datasets.0.resources.Property.fields",
  ],
  ["an unknown product", { products: ["gossip"] }, "entitlement_unknown_value", "products.0"],
  [
    "an unknown capability",
    { capabilities: ["file_export_pull"] },
    "entitlement_unknown_value",
    "capabilities.0",
  ],
  ["an unknown kind of region", region("city", "Austin"), "entitlement_unknown_value", "regions.0.kind"],
  ["a nation other than US", region("national", "CA"), "entitlement_invalid", "regions.0"],
  ["a state that is spelled out", region("state", "Texas"), "entitlement_invalid", "regions.0"],
  ["a county without its state", region("county", "Travis"), "entitlement_invalid", "regions.0"],
  ["a county that is blank", region("county", "TX/ "), "entitlement_invalid", "regions.0"],
  ["a county with two slashes", region("county", "TX/Travis/Austin"), "entitlement_invalid", "regions.0"],
  ["a ZIP prefix", region("zip", "787"), "entitlement_invalid", "regions.0"],
  ["a ZIP+4 code", region("zip", "78701-1234"), "entitlement_invalid", "regions.0"],
  ["a ZIP code and a newline", region("zip", "78701\n"), "entitlement_invalid", "regions.0"],
  [
    "an originating system without a name",
    region("originating_system", ""),
    "entitlement_invalid",
    "regions.0",
  ],
  [
    "a dataset id in upper case",
    { datasets: [grant(texas.toUpperCase(), { Property: "*" })] },
    "entitlement_invalid",
    "datasets.0.dataset_id",
  ],
  [
    "a star in a list",
    { datasets: [grant(texas, { Property: ["*"] })] },
    "entitlement_invalid",
    "datasets.0.resources.Property.fields.0",
  ],
  ["version zero", { ver: 0 }, "entitlement_invalid", "ver"],
  ["a fraction of a version", { ver: 1.5 }, "entitlement_invalid", "ver"],
  ["an end before the beginning", { nbf: 2, exp: 2 }, "entitlement_invalid", "exp"],
  ["no customer", { sub: "" }, "entitlement_invalid", "sub"],
  ["a limit of zero", { limits: { open_exports: 0 } }, "entitlement_invalid", "limits.open_exports"],
];

describe("a document", () => {
  test("with every member is accepted as it is", () => {
    const document = entitlement({
      regions: [
        { kind: "national", value: "US" },
        { kind: "state", value: "TX" },
        { kind: "county", value: "NM/Doña Ana" },
        { kind: "county", value: "MD/Prince George's" },
        { kind: "zip", value: "00501" },
        { kind: "originating_system", value: "Lone Star MLS" },
      ],
      datasets: [
        grant(texas, { Property: "*", Member: ["MemberEmail"] }),
        grant(oregon, {
          Property: {
            fields: ["City", "PostalCode", "Latitude"],
            masks: { City: "null", PostalCode: "prefix32", Latitude: "round8" },
          },
          Media: { fields: "*", private: true },
          Office: { fields: "*", contact: true },
        }),
      ],
    });
    expect(parseEntitlement(document)).toEqual(document);
  });

  test("without the optional members is accepted", () => {
    const { capabilities: _, limits: _1, ...document } = entitlement();
    expect(parseEntitlement(document)).toEqual(document);
  });

  test.each(refusals)("with %s is refused", (_, changes, code, path) => {
    expect(() => parseEntitlement({ ...entitlement(), ...changes })).toThrow(
      expect.objectContaining({
        code,
        kind: "unavailable",
        publicCode: "service_unavailable",
        details: { path },
      }),
    );
  });

  test.each([
    "iss",
    "aud",
    "sub",
    "ver",
    "iat",
    "nbf",
    "exp",
    "jti",
    "products",
    "channels",
    "regions",
    "datasets",
  ])("without `%s` is refused", (member) => {
    const { [member]: _, ...rest } = entitlement() as unknown as Record<string, unknown>;
    expect(() => parseEntitlement(rest)).toThrow(
      expect.objectContaining({ code: "entitlement_invalid", details: { path: member } }),
    );
  });

  test.each([null, undefined, 1, "text", [], {}])("that is %j is refused", (value) => {
    expect(() => parseEntitlement(value)).toThrow(EntitlementError);
  });
});

test("every cause has a sentence without a full stop, and a public code that fits its kind", () => {
  for (const { message, kind, publicCode } of Object.values(entitlementErrors)) {
    expect(message({})).toMatch(/^[a-z`].*[^.]$/);
    expect(publicCode === "service_unavailable").toBe(kind === "unavailable");
  }
});
