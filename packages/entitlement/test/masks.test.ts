import {
  type EntitlementErrorCode,
  type Mask,
  type ResourceGrant,
  restrict,
  visibleEntitySet,
} from "@cadastre/entitlement";
import {
  type BoundNode,
  type EntitySet,
  evaluate,
  type PrimitiveType,
  type StructuralProperty,
} from "@cadastre/odata";
import { codecOf } from "@cadastre/odata/run";
import { propertyNode } from "@cadastre/odata/tree";
import { describe, expect, test } from "vitest";
import { grant, oregon, scopeOf, texas } from "./support/documents.ts";
import { entitySet, lookupSet, memberSet, property, propertySet } from "./support/model.ts";
import { prop, query } from "./support/trees.ts";

const scope = (given: ResourceGrant, resource = "Property") =>
  scopeOf({ datasets: [grant(texas, { [resource]: given })] });

/** What a query for one property selects, restricted. */
function restricted(name: string, granted: ReturnType<typeof scope>, of: EntitySet = propertySet): BoundNode {
  const visible = visibleEntitySet(of, granted);
  const one = prop(visible, name);
  const select = [{ property: one, expression: propertyNode(one) }];
  const [item] = restrict(query(visible, { select }), granted).select;
  if (item === undefined) throw new Error("nothing is selected");
  return item.expression;
}

const types = [
  "Edm.Int64",
  "Edm.Int32",
  "Edm.Int16",
  "Edm.SByte",
  "Edm.Byte",
  "Edm.Decimal",
  "Edm.Double",
  "Edm.Single",
  "Edm.String",
] as const;
const samples = entitySet("Property", "SampleKey", [
  ...types.map((type) => property(type.slice(4), type)),
  property("Truth", "Edm.Boolean"),
  property("Day", "Edm.Date"),
  property("Listed", "Edm.String", { lookup: "Listed" }),
  property("Enumerated", "Edm.String", {
    enumType: { name: "Any.Enumerated", members: ["A"], isFlags: false },
  }),
  property("Texts", "Edm.String", { collection: true }),
  property("Numbers", "Edm.Double", { collection: true }),
]);
const scopeOfSamples = (name: string, mask: Mask) =>
  scopeOf({ datasets: [grant(texas, { Property: { fields: "*", masks: { [name]: mask } } })] }, [samples]);

describe("a mask", () => {
  test.each<readonly [type: PrimitiveType, mask: Mask, value: unknown, shown: unknown]>([
    ["Edm.String", "prefix3", "78701-1234", "787"],
    ["Edm.String", "prefix3", "78", "78"],
    ["Edm.String", "prefix2", "😀é!", "😀é"],
    ["Edm.String", "prefix3", "", ""],
    ["Edm.String", "prefix32", "Main Street", "Main Street"],
    ["Edm.String", "prefix1", null, null],
    ["Edm.String", "null", "78701", null],
    ["Edm.Decimal", "round2", 30.267_153, 30.27],
    ["Edm.Decimal", "round2", 1.005, 1.01],
    ["Edm.Decimal", "round0", -2.5, -3],
    ["Edm.Decimal", "round8", 0.123_456_785, 0.123_456_79],
    ["Edm.Decimal", "round2", null, null],
    ["Edm.Double", "round2", -97.743_06, -97.74],
    ["Edm.Double", "round1", 0.25, 0.3],
    ["Edm.Double", "round1", -0.25, -0.3],
    ["Edm.Double", "round1", -0.04, 0],
    ["Edm.Double", "round0", -97.5, -98],
    ["Edm.Single", "round1", 0.25, Math.fround(0.3)],
    ["Edm.Int64", "round2", 7, 7],
    ["Edm.Int32", "round8", 7, 7],
    ["Edm.Int16", "round1", -7, -7],
    ["Edm.SByte", "round0", -7, -7],
    ["Edm.Byte", "round0", 255, 255],
    ["Edm.Int64", "null", 7, null],
  ])("of %s, `%s`, shows of %j %j", (type, mask, value, shown) => {
    const name = type.slice(4);
    const expression = restricted(name, scopeOfSamples(name, mask), samples);
    expect(expression.type).toBe(type);
    const given = evaluate(expression, { DatasetId: texas, [name]: value });
    expect(given === null ? null : codecOf(type).toJson(given)).toBe(shown);
  });

  test("`null` leaves nothing of any value, and no item of a collection", () => {
    const seen = (name: string, value: unknown) =>
      evaluate(restricted(name, scopeOfSamples(name, "null"), samples), { DatasetId: texas, [name]: value });
    expect(seen("Truth", true)).toBeNull();
    expect(seen("Listed", "A")).toBeNull();
    expect(seen("Texts", ["a"])).toEqual([]);
    expect(seen("Numbers", [])).toEqual([]);
  });

  test.each<readonly [name: string, mask: Mask]>([
    ["Double", "prefix3"],
    ["Truth", "prefix1"],
    ["Listed", "prefix1"],
    ["Enumerated", "prefix1"],
    ["Texts", "prefix1"],
    ["String", "round1"],
    ["Day", "round0"],
    ["Truth", "round0"],
    ["Numbers", "round0"],
  ])("that does not fit its type is refused: %s, `%s`", (name, mask) => {
    expect(() => scopeOfSamples(name, mask)).toThrow(
      expect.objectContaining({ code: "entitlement_mask_misfit", kind: "unavailable" }),
    );
  });

  test.each<readonly [what: string, code: EntitlementErrorCode, given: ResourceGrant]>([
    ["an unknown field", "entitlement_mask_unknown_field", { fields: "*", masks: { Citty: "null" } }],
    ["the key", "entitlement_mask_required_field", { fields: "*", masks: { ListingKey: "prefix1" } }],
    [
      "the timestamp",
      "entitlement_mask_required_field",
      { fields: "*", masks: { ModificationTimestamp: "null" } },
    ],
    [
      "the system",
      "entitlement_mask_required_field",
      { fields: "*", masks: { OriginatingSystemName: "null" } },
    ],
    [
      "a field not granted",
      "entitlement_mask_ungranted_field",
      { fields: ["City"], masks: { ListPrice: "null" } },
    ],
  ])("of %s is refused", (_, code, given) => {
    const [field] = Object.keys(given.masks ?? {});
    const details = { resource: "Property", field };
    expect(() => scope(given)).toThrow(expect.objectContaining({ code, kind: "unavailable", details }));
  });

  test("of no known form is none", () => {
    expect(() => scope({ fields: "*", masks: { City: "all" as Mask } })).toThrow(new TypeError("not a mask"));
  });

  test("of a double is computed in doubles, without a cast", () => {
    expect(JSON.stringify(restricted("Double", scopeOfSamples("Double", "round1"), samples))).not.toContain(
      "Cast",
    );
  });

  test("of a contact field is refused where all fields but these are granted", () => {
    const masks = { MemberEmail: "null" } as const;
    const refusal: unknown = expect.objectContaining({ code: "entitlement_mask_ungranted_field" });
    expect(() => scope({ fields: "*", masks }, "Member")).toThrow(refusal);
    expect(() => scope({ fields: "*", masks, contact: true }, "Member")).not.toThrow();
    expect(
      visibleEntitySet(memberSet, scope({ fields: ["MemberEmail"], masks }, "Member")).type.properties.size,
    ).toBe(4);
  });

  test("wins over other grants of the dataset, and the strictest of several", () => {
    const both = (...all: readonly ResourceGrant[]) =>
      restricted("PostalCode", scopeOf({ datasets: all.map((one) => grant(texas, { Property: one })) }));
    const masked = (mask: Mask): ResourceGrant => ({ fields: ["PostalCode"], masks: { PostalCode: mask } });
    const shown = (expression: BoundNode) => evaluate(expression, { DatasetId: texas, PostalCode: "78701" });
    expect(shown(both({ fields: "*" }, masked("prefix3")))).toBe("787");
    expect(shown(both(masked("prefix3"), { fields: "*" }))).toBe("787");
    expect(shown(both(masked("prefix5"), masked("prefix2")))).toBe("78");
    expect(shown(both(masked("prefix2"), masked("prefix5")))).toBe("78");
    expect(shown(both(masked("prefix1"), masked("null")))).toBeNull();
    const prices = (["null", "round0"] as const).map(
      (mask): ResourceGrant => ({ fields: ["ListPrice"], masks: { ListPrice: mask } }),
    );
    for (const grants of [prices, prices.toReversed()]) {
      const datasets = grants.map((one) => grant(texas, { Property: one }));
      const expression = restricted("ListPrice", scopeOf({ datasets }));
      expect(evaluate(expression, { DatasetId: texas, ListPrice: 7 })).toBeNull();
    }
  });

  test("differs from dataset to dataset", () => {
    const datasets = [
      grant(texas, { Property: { fields: ["PostalCode", "City"], masks: { PostalCode: "prefix3" } } }),
      grant(oregon, { Property: { fields: ["PostalCode", "City"], masks: { City: "null" } } }),
    ];
    const row = { PostalCode: "78701", City: "Austin" };
    const seen = (name: string, DatasetId: string) =>
      evaluate(restricted(name, scopeOf({ datasets })), { ...row, DatasetId });
    expect([seen("PostalCode", texas), seen("City", texas)]).toEqual(["787", "Austin"]);
    expect([seen("PostalCode", oregon), seen("City", oregon)]).toEqual(["78701", null]);
    expect(restricted("City", scopeOf({ datasets }))).not.toHaveProperty("otherwise");
  });

  test("that all datasets have needs no look at the dataset", () => {
    const masks = { PostalCode: "prefix3" } as const;
    const datasets = [texas, oregon].map((id) => grant(id, { Property: { fields: "*", masks } }));
    expect(restricted("PostalCode", scopeOf({ datasets }))).toMatchObject({ kind: "Call" });
  });

  test("of a shared row is the one that leaves the most", () => {
    const shown = (...masks: readonly Mask[]) => {
      const datasets = [texas, oregon].flatMap((id, i) => {
        const mask = masks[i];
        return mask === undefined
          ? []
          : [grant(id, { Property: "*", Lookup: { fields: "*", masks: { LookupValue: mask } } })];
      });
      const expression = restricted("LookupValue", scopeOf({ datasets }), lookupSet);
      return evaluate(expression, { DatasetId: null, LookupValue: "Active" });
    };
    expect(shown("prefix1")).toBe("A");
    expect(shown("prefix1", "prefix3")).toBe("Act");
    expect(shown("prefix3", "prefix1")).toBe("Act");
    expect(shown("null", "prefix2")).toBe("Ac");
  });
});

describe("a derived property", () => {
  const row = { DatasetId: texas, Latitude: 30.267, Longitude: -97.743, GeoHash: "9v6", GeoHashPrefix: "9" };
  const whole = { ...row, Coordinates: { type: "Point", coordinates: [-97.743, 30.267] } };
  const seen = (name: string, masks: ResourceGrant["masks"], given: object = whole) =>
    evaluate(restricted(name, scope({ fields: "*", ...(masks && { masks }) })), { ...given });

  test("is its own where no input is masked", () => {
    expect(seen("Coordinates", undefined)).toEqual(whole.Coordinates);
    expect(seen("GeoHashPrefix", { City: "null" })).toBe("9");
  });

  test("is computed from masked inputs", () => {
    const masks = { Latitude: "round2", Longitude: "round1" } as const;
    expect(seen("Coordinates", masks)).toEqual({ type: "Point", coordinates: [-97.7, 30.27] });
    expect(seen("Coordinates", { Latitude: "round0" })).toEqual({
      type: "Point",
      coordinates: [-97.743, 30],
    });
  });

  test.each([{ Latitude: null }, { Longitude: null }, { Latitude: 90.6 }, { Longitude: -181 }])(
    "is null where the inputs are no place: %j",
    (changes) => {
      expect(seen("Coordinates", { Latitude: "round2" }, { ...whole, ...changes })).toBeNull();
    },
  );

  test("is null where an input is masked to null, and where it cannot be computed, however deep", () => {
    expect(seen("Coordinates", { Latitude: "null" })).toBeNull();
    expect(seen("GeoHash", { Longitude: "round2" })).toBeNull();
    expect(seen("GeoHashPrefix", { Longitude: "round2" })).toBeNull();
  });

  const placed = (DatasetId: string | null) => ({
    ...whole,
    DatasetId,
    Latitude: 30.267_15,
    Longitude: -97.743_06,
  });

  test("differs where its inputs' masks do", () => {
    const datasets = [
      grant(texas, { Property: { fields: "*", masks: { Latitude: "round1" } } }),
      grant(oregon, { Property: { fields: "*", masks: { Latitude: "round3" } } }),
    ];
    const expression = restricted("Coordinates", scopeOf({ datasets }));
    expect(evaluate(expression, placed(texas))).toMatchObject({ coordinates: [-97.743_06, 30.3] });
    expect(evaluate(expression, placed(oregon))).toMatchObject({ coordinates: [-97.743_06, 30.267] });
  });

  test("of a shared row is that whose strictest input leaves the most", () => {
    const set = { ...propertySet, name: "Lookup" };
    const given = (id: string, masks: ResourceGrant["masks"]) =>
      grant(id, { Lookup: { fields: "*", ...(masks && { masks }) } });
    const datasets = [
      given(oregon, { Latitude: "round0", Longitude: "round8" }),
      given(texas, { Latitude: "round3", Longitude: "round3" }),
    ];
    const expression = restricted("Coordinates", scopeOf({ datasets }, [set]), set);
    expect(evaluate(expression, placed(null))).toMatchObject({ coordinates: [-97.743, 30.267] });
  });

  test("may have a mask of its own", () => {
    expect(seen("GeoHash", { GeoHash: "prefix2" })).toBe("9v");
    expect(seen("GeoHash", { GeoHash: "prefix2", Latitude: "round2" })).toBeNull();
    expect(seen("Coordinates", { Coordinates: "null", Latitude: "round2" })).toBeNull();
    expect(seen("GeoHashPrefix", { GeoHash: "prefix2" })).toBeNull();
  });

  test("is hidden where an input is, masked or not", () => {
    const masks = { Latitude: "round2" } as const;
    const visible = visibleEntitySet(propertySet, scope({ fields: ["Coordinates", "Latitude"], masks }));
    expect(visible.type.properties.has("Coordinates")).toBe(false);
  });

  /** What is left of the place of a row whose latitude is masked, in an entity set of these properties. */
  const placeOf = (...properties: readonly StructuralProperty[]) => {
    const set = entitySet("Property", "ListingKey", properties);
    const mask: Mask = prop(set, "Latitude").type === "Edm.String" ? "prefix2" : "round1";
    const given = grant(texas, { Property: { fields: "*", masks: { Latitude: mask } } });
    return restricted("Coordinates", scopeOf({ datasets: [given] }, [set]), set);
  };
  const coordinates = (derivedFrom: readonly string[], type: PrimitiveType = "Edm.GeographyPoint") =>
    property("Coordinates", type, { derivedFrom });
  const both = ["Latitude", "Longitude"];

  test.each(["Edm.Decimal", "Edm.Double", "Edm.Single"] as const)("is computed from inputs of %s", (type) => {
    const place = placeOf(property("Latitude", type), property("Longitude", type), coordinates(both));
    expect(place.kind).not.toBe("Choice");
  });

  test.each([
    ["texts", "Edm.String", coordinates(both)],
    ["whole numbers", "Edm.Int64", coordinates(both)],
    ["one number", "Edm.Double", coordinates(["Latitude"])],
    ["numbers, but no place", "Edm.Double", coordinates(both, "Edm.GeographyLineString")],
    ["numbers, but many places", "Edm.Double", { ...coordinates(both), collection: true }],
  ] as const)("is nothing where it is made of %s", (_, type, derived) => {
    const place = placeOf(property("Latitude", type), property("Longitude", type), derived);
    expect(place).toMatchObject({ kind: "Choice", when: { kind: "Constant", value: false } });
    expect(place).not.toHaveProperty("otherwise");
  });
});

describe("a field that reveals a masked one", () => {
  const row = { DatasetId: texas, AddressLine: "1 Oak, Austin 78701", Label: "To: 1 Oak", Remarks: "Austin" };
  const seen = (name: string, masks: Readonly<Record<string, Mask>>, more: Partial<ResourceGrant> = {}) =>
    evaluate(restricted(name, scope({ fields: "*", masks, ...more })), row);

  test.each<readonly [name: string, masks: Readonly<Record<string, Mask>>, shown: string | null]>([
    ["AddressLine", { City: "null" }, null],
    ["AddressLine", { PostalCode: "prefix3" }, null],
    ["AddressLine", { PostalCode: "prefix3", AddressLine: "prefix4" }, null],
    ["AddressLine", { ListPrice: "null" }, "1 Oak, Austin 78701"],
    ["AddressLine", { AddressLine: "prefix4" }, "1 Oa"],
    ["Label", { AddressLine: "prefix4" }, null],
    ["Label", { City: "null" }, null],
    ["Label", { ListPrice: "null" }, "To: 1 Oak"],
    ["Remarks", { City: "null", AddressLine: "null" }, "Austin"],
  ])("%s, under the masks %j, reads %j", (name, masks, shown) => {
    expect(seen(name, masks)).toBe(shown);
  });

  test("is masked where what it takes from between them is not granted", () => {
    const granted = { fields: ["City", "Label"], masks: { City: "null" } } as const;
    expect(evaluate(restricted("Label", scope(granted)), row)).toBeNull();
  });

  test("is masked by the mask of another grant of its dataset", () => {
    const datasets = [
      grant(texas, { Property: { fields: ["City"], masks: { City: "null" } } }),
      grant(texas, { Property: ["AddressLine"] }),
    ];
    for (const given of [datasets, datasets.toReversed()])
      expect(evaluate(restricted("AddressLine", scopeOf({ datasets: given })), row)).toBeNull();
  });

  test("is shown where the masked field is not granted at all, for nothing masks it", () => {
    expect(evaluate(restricted("AddressLine", scope({ fields: ["AddressLine"] })), row)).toBe(
      row.AddressLine,
    );
  });

  test("is shown in the rows of a dataset that masks nothing", () => {
    const datasets = [
      grant(texas, { Property: { fields: "*", masks: { City: "null" } } }),
      grant(oregon, { Property: "*" }),
    ];
    const value = restricted("AddressLine", scopeOf({ datasets }));
    expect(evaluate(value, row)).toBeNull();
    expect(evaluate(value, { ...row, DatasetId: oregon })).toBe(row.AddressLine);
  });

  test("cannot be the key, which is always shown", () => {
    const named = property("ListingKey", "Edm.String", { reveals: ["City"] });
    const set = entitySet("Property", "Id", [property("City"), named]);
    const keyed: EntitySet = { ...set, type: { ...set.type, key: ["ListingKey"] } };
    const given = grant(texas, { Property: { fields: "*", masks: { City: "null" } } });
    const value = restricted("ListingKey", scopeOf({ datasets: [given] }, [keyed]), keyed);
    expect(evaluate(value, { ListingKey: "1", DatasetId: texas })).toBe("1");
  });

  test("makes the scope another one, and a grant without it does not", () => {
    const hash = (fields: ResourceGrant["fields"], masks: Readonly<Record<string, Mask>>) =>
      scope({ fields, masks }).scopeSha256;
    const both = ["City", "AddressLine"];
    expect(hash(both, { City: "null" })).toBe(hash(both, { City: "null", AddressLine: "null" }));
    const alone = scopeOf(
      { datasets: [grant(texas, { Property: { fields: ["City"], masks: { City: "null" } } })] },
      [entitySet("Property", "ListingKey", [property("City")])],
    );
    expect(hash(["City"], { City: "null" })).toBe(alone.scopeSha256);
  });
});
