import {
  type Capability,
  compileScope,
  type DatasetGrant,
  type Entitlement,
  type Product,
  type Region,
  type ResourceGrant,
  requireCapability,
  requireChannel,
} from "@cadastre/entitlement";
import { evaluate } from "@cadastre/odata";
import { constant } from "@cadastre/odata/tree";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { entitlement, grant, nevada, oregon, scopeOf, texas } from "./support/documents.ts";
import { entitySets, propertySet } from "./support/model.ts";

describe("scopeSha256", () => {
  const hash = (changes: Partial<Entitlement>) => scopeOf(changes).scopeSha256;
  const shuffled = <T>(items: readonly T[]) => fc.shuffledSubarray([...items], { minLength: items.length });
  const repeated = <T>(items: readonly T[]) =>
    fc.tuple(shuffled(items), fc.subarray([...items])).map(([all, again]) => [...all, ...again]);

  const products: readonly Product[] = ["listing", "property", "market_report"];
  const capabilities: readonly Capability[] = ["file_export_push"];
  const regions: readonly Region[] = [
    { kind: "state", value: "TX" },
    { kind: "zip", value: "78701" },
    { kind: "state", value: "OR" },
  ];
  const fields = ["City", "ListPrice", "Latitude"];
  const datasets: readonly DatasetGrant[] = [
    grant(texas, { Property: fields, Media: { fields: "*", private: true } }),
    grant(oregon, {
      Property: { fields, masks: { City: "prefix3", Latitude: "round2" } },
      Member: { fields: "*", contact: true },
    }),
  ];

  test("does not depend on the order of what is granted, nor on how often it is", () => {
    const same = fc.record({
      products: repeated(products),
      capabilities: repeated(capabilities),
      regions: repeated(regions),
      datasets: repeated(datasets).chain((grants) =>
        fc.tuple(...grants.map((item) => repeated(fields).map((names) => reordered(item, names)))),
      ),
    });
    const expected = hash({ products, capabilities, regions, datasets });
    fc.assert(
      fc.property(same, (changes) => {
        expect(hash(changes)).toBe(expected);
      }),
    );
  });

  /** The same grant, its resources, and the fields and masks of Property in another order. */
  const reordered = ({ dataset_id, resources }: DatasetGrant, names: readonly string[]): DatasetGrant => ({
    dataset_id,
    resources: Object.fromEntries(
      Object.entries(resources)
        .toReversed()
        .map(([name, item]) => [name, item.fields === "*" ? item : turned(item, names)]),
    ),
  });

  const turned = ({ masks }: ResourceGrant, fields: readonly string[]): ResourceGrant =>
    masks === undefined
      ? { fields }
      : { fields, masks: Object.fromEntries(Object.entries(masks).toReversed()) };

  test("does not depend on who is entitled, when, and in which version", () => {
    const changes = { sub: "cust_2", ver: 9, iat: 1, nbf: 1, exp: 2, jti: "doc-2", limits: {} };
    expect(hash(changes)).toBe(hash({}));
  });

  test("depends on everything that is granted", () => {
    const { capabilities: _, ...incapable } = entitlement();
    const hashes = [
      hash({}),
      compileScope(incapable, { entitySets }).scopeSha256,
      hash({ products: ["property"] }),
      hash({ channels: { api: true, odata: false, file_delivery: false } }),
      hash({ regions: [{ kind: "state", value: "TX" }] }),
      hash({ regions: [{ kind: "state", value: "OR" }] }),
      hash({ datasets: [grant(oregon, { Property: "*" })] }),
      hash({ datasets: [grant(texas, { Media: "*" })] }),
      hash({ datasets: [grant(texas, { Property: ["City"] })] }),
      hash({ datasets: [grant(texas, { Property: ["City", "ListPrice"] })] }),
      hash({ datasets: [grant(texas, { Property: ["City"] }), grant(oregon, { Property: ["ListPrice"] })] }),
      hash({ datasets: [grant(texas, { Property: ["ListPrice"] }), grant(oregon, { Property: ["City"] })] }),
      hash({ datasets: [grant(texas, { Property: { fields: "*", masks: { City: "prefix1" } } })] }),
      hash({ datasets: [grant(texas, { Property: { fields: "*", masks: { City: "prefix2" } } })] }),
      hash({ datasets: [grant(texas, { Property: { fields: "*", masks: { PostalCode: "prefix1" } } })] }),
      hash({ datasets: [grant(texas, { Media: { fields: "*", private: true } })] }),
      hash({ datasets: [grant(texas, { Member: "*" })] }),
      hash({ datasets: [grant(texas, { Member: { fields: "*", contact: true } })] }),
    ];
    expect(new Set(hashes).size).toBe(hashes.length);
    expect(hashes[0]).toMatch(/^[\da-f]{64}$/);
  });
});

describe("rows", () => {
  const datasetIds = fc.constantFrom(texas, oregon, nevada);
  const regionsOf = fc.constantFrom<Region>(
    { kind: "state", value: "TX" },
    { kind: "state", value: "OR" },
    { kind: "county", value: "TX/Travis" },
    { kind: "zip", value: "78701" },
    { kind: "originating_system", value: "A" },
    { kind: "national", value: "US" },
  );
  const rows = fc.record({
    DatasetId: fc.option(datasetIds),
    StateOrProvince: fc.constantFrom("TX", "OR", null),
    CountyOrParish: fc.constantFrom("Travis", "Lane", null),
    PostalCode: fc.constantFrom("78701", "78701-1234", "97201", null),
    OriginatingSystemName: fc.constantFrom("A", "B"),
  });
  const isVisible = (changes: Partial<Entitlement>, row: Record<string, unknown>) =>
    evaluate(scopeOf(changes).rows("Property"), row);

  test("a further region or dataset never hides a row", () => {
    fc.assert(
      fc.property(
        rows,
        fc.array(regionsOf, { minLength: 1 }),
        fc.array(datasetIds, { minLength: 1 }),
        regionsOf,
        datasetIds,
        (row, regions, ids, region, id) => {
          const grants = (all: readonly string[]) => all.map((one) => grant(one, { Property: "*" }));
          const before = isVisible({ regions, datasets: grants(ids) }, row);
          const after = isVisible({ regions: [...regions, region], datasets: grants([...ids, id]) }, row);
          expect([before, after]).not.toEqual([true, false]);
        },
      ),
    );
  });

  test("of a document that slipped past the schema with an empty list are none", () => {
    fc.assert(
      fc.property(rows, (row) => {
        expect(isVisible({ regions: [] }, row)).toBe(false);
        expect(isVisible({ datasets: [] }, row)).toBe(false);
      }),
    );
  });

  test("are true or false, never null", () => {
    fc.assert(
      fc.property(rows, fc.array(regionsOf), (row, regions) => {
        expect(isVisible({ regions }, row)).toBeTypeOf("boolean");
      }),
    );
  });
});

describe("a scope", () => {
  test("says what is granted", () => {
    expect(scopeOf()).toMatchObject({
      customer: "cust_1",
      version: 3,
      products: ["listing"],
      channels: { api: true, odata: true, file_delivery: false },
      capabilities: ["file_export_push"],
      regions: [{ kind: "national", value: "US" }],
      datasets: [{ dataset_id: texas }],
      limits: { requests_per_second: 20 },
    });
    expect(scopeOf().visible("Property")).toBe(true);
    expect(scopeOf().visible("Media")).toBe(false);
  });

  test("grants no capability and sets no limit where the document is silent", () => {
    const { capabilities: _, limits: _1, ...silent } = entitlement();
    const scope = compileScope(silent, { entitySets });
    expect([scope.capabilities, scope.limits]).toEqual([[], {}]);
    expect(scope.scopeSha256).toBe(scopeOf({ capabilities: [] }).scopeSha256);
  });

  test("shows no row of an entity set that it does not know", () => {
    expect(scopeOf().rows("Parcel")).toEqual(constant(false));
    expect(scopeOf().visible("Parcel")).toBe(false);
  });

  test("is not compiled from a grant of an unknown dataset, where all are known", () => {
    const datasets = [texas, oregon].map((id) => grant(id, { Property: "*" }));
    const compile = (...known: readonly string[]) =>
      compileScope(entitlement({ datasets }), { entitySets, datasets: new Set(known) });
    expect(compile(oregon, texas).visible("Property")).toBe(true);
    expect(() => compile(texas)).toThrow(
      expect.objectContaining({
        code: "entitlement_unknown_dataset",
        details: { path: "datasets.1.dataset_id" },
      }),
    );
  });

  test("is not compiled from a grant of an unknown resource or field", () => {
    const compile = (resources: Record<string, "*" | readonly string[]>) => () =>
      scopeOf({ datasets: [grant(texas, resources)] });
    const unknownField: unknown = expect.objectContaining({
      code: "entitlement_unknown_field",
      kind: "unavailable",
    });
    expect(compile({ Property: "*", Parcel: "*" })).toThrow(
      expect.objectContaining({ code: "entitlement_unknown_resource", kind: "unavailable" }),
    );
    expect(compile({ Property: ["City", "Citty"] })).toThrow(unknownField);
    expect(compile({ Property: ["DatasetId"] })).toThrow(unknownField);
    expect(compile({ Property: ["MediaURL"] })).toThrow(unknownField);
  });

  test("does not grow when the document, or a list that it shows, is changed later", () => {
    const datasets = [grant(texas, { Property: "*" })];
    const scope = scopeOf({ datasets });
    datasets.push(grant(oregon, { Property: "*" }));
    expect(evaluate(scope.rows("Property"), { DatasetId: oregon })).toBe(false);
  });

  test("lets through a channel and a capability that are granted, and no other", () => {
    const { capabilities: _, ...incapable } = entitlement();
    expect(() => requireChannel(scopeOf(), "odata")).not.toThrow();
    expect(() => requireChannel(scopeOf(), "file_delivery")).toThrow(
      expect.objectContaining({ publicCode: "channel_not_entitled", kind: "forbidden" }),
    );
    expect(() => requireCapability(scopeOf(), "file_export_push")).not.toThrow();
    expect(() =>
      requireCapability(compileScope(incapable, { entitySets: [propertySet] }), "file_export_push"),
    ).toThrow(expect.objectContaining({ publicCode: "capability_required", kind: "forbidden" }));
  });
});
