import {
  datasetProperty,
  type RestrictedQuery,
  restrict,
  type Scope,
  visibleEntitySet,
} from "@cadastre/entitlement";
import {
  type BoundNode,
  type BoundQuery,
  bindExpand,
  bindQuery,
  evaluate,
  matches,
  parseCompute,
  parseExpand,
  parseFilter,
  parseSelect,
} from "@cadastre/odata";
import { allOf, constant, propertyNode } from "@cadastre/odata/tree";
import { describe, expect, expectTypeOf, test } from "vitest";
import { grant, oregon, scopeOf, texas } from "./support/documents.ts";
import { lookupSet, propertySet, teamsSet } from "./support/model.ts";
import { choice, compare, lambda, literal, node, prop, query } from "./support/trees.ts";

const inTexas = {
  DatasetId: texas,
  City: "Austin",
  ListPrice: 7,
  Appliances: ["Oven"],
  Latitude: 30,
  Longitude: -97,
};
const inOregon = { ...inTexas, DatasetId: oregon };

const property = (name: string) => node(propertySet, name);
/** City, prices, appliances and a derived value in Texas only. */
const partial = scopeOf({
  datasets: [
    grant(texas, { Property: "*" }),
    grant(oregon, { Property: ["StandardStatus", "GeoHash", "Latitude"] }),
  ],
});

const filtered = (filter: BoundNode, scope: Scope = partial) =>
  restrict(query(visibleEntitySet(propertySet, scope), { filter }), scope).filter;

describe("rows", () => {
  test("are those of the scope and the filter", () => {
    const filter = compare(property("City"), "eq", literal("Austin"));
    const scope = scopeOf();
    expect(filtered(filter, scope)).toEqual(allOf(scope.rows("Property"), filter));
    expect(matches(filtered(filter, scope), inTexas)).toBe(true);
    expect(matches(filtered(filter, scope), { ...inTexas, City: "Waco" })).toBe(false);
    expect(matches(filtered(filter, scope), inOregon)).toBe(false);
  });

  test.each([
    ["true", constant(true)],
    ["not false", { kind: "Not", type: "Edm.Boolean", operand: constant(false) }],
  ] as const)("are none without a grant, under the filter `%s` too", (_, filter) => {
    const scope = scopeOf({ datasets: [grant(texas, { Member: "*" })] });
    const restricted = filtered(filter, scope);
    expect(matches(restricted, inTexas)).toBe(false);
    expect(matches(restricted, {})).toBe(false);
  });

  test("are none, not all, of a resource without a rule", () => {
    const scope = scopeOf({ datasets: [grant(texas, { Teams: "*" })] });
    expect(matches(restrict(query(teamsSet), scope).filter, { DatasetId: texas })).toBe(false);
  });
});

describe("a field that only some datasets show", () => {
  test("is null elsewhere in a filter", () => {
    const isAustin = filtered(compare(property("City"), "eq", literal("Austin")));
    expect([matches(isAustin, inTexas), matches(isAustin, inOregon)]).toEqual([true, false]);
    const isNull = filtered(compare(property("City"), "eq", literal(null)));
    expect([matches(isNull, inTexas), matches(isNull, inOregon)]).toEqual([false, true]);
    const isNot = filtered(compare(property("City"), "ne", literal("Austin")));
    expect([matches(isNot, inTexas), matches(isNot, inOregon)]).toEqual([false, true]);
  });

  test("is an empty collection elsewhere in a lambda", () => {
    const any = filtered(lambda(property("Appliances"), "any", "Oven"));
    expect([matches(any, inTexas), matches(any, inOregon)]).toEqual([true, false]);
    const all = filtered(lambda(property("Appliances"), "all", "Dryer"));
    expect([matches(all, inTexas), matches(all, inOregon)]).toEqual([false, true]);
  });

  test("has no words elsewhere in a search", () => {
    const search = (...names: readonly string[]) =>
      filtered({
        kind: "Search",
        type: "Edm.Boolean",
        texts: names.map(property),
        expression: { kind: "Phrase", words: " austin " },
      });
    const isFound = search("City", "StandardStatus");
    expect([matches(isFound, inTexas), matches(isFound, inOregon)]).toEqual([true, false]);
    expect(matches(isFound, { ...inOregon, StandardStatus: "Austin" })).toBe(true);
    const shown = grant(texas, { Property: ["StandardStatus"] });
    const scope = scopeOf({ datasets: [shown] });
    const asked = {
      kind: "Search",
      type: "Edm.Boolean",
      texts: [property("City")],
      expression: { kind: "Phrase", words: " austin " },
    } as const;
    expect(() => filtered(asked, scope)).toThrowError("`City` is hidden");
  });

  test("is null elsewhere in the order and in the answer", () => {
    const entitySet = visibleEntitySet(propertySet, partial);
    const { orderBy, select } = restrict(
      query(entitySet, {
        orderBy: [{ expression: property("ListPrice"), direction: "desc" }],
        select: ["City", "Appliances", "StandardStatus"].map((name) => ({
          property: prop(propertySet, name),
          expression: property(name),
        })),
      }),
      partial,
    );
    const values = (row: object) =>
      [...orderBy, ...select].map(({ expression }) =>
        evaluate(expression, { ...row, StandardStatus: "Active" }),
      );
    expect(values(inTexas)).toEqual([7n, "Austin", ["Oven"], "Active"]);
    expect(values(inOregon)).toEqual([null, null, [], "Active"]);
    expect(orderBy[0]?.direction).toBe("desc");
  });

  test("takes what is derived from it along", () => {
    const { select } = restrict(query(visibleEntitySet(propertySet, partial)), partial);
    const geoHash = select.find((item) => item.property.name === "GeoHash");
    const row = { GeoHash: "9v6" };
    expect(geoHash && evaluate(geoHash.expression, { ...row, DatasetId: texas })).toBe("9v6");
    expect(geoHash && evaluate(geoHash.expression, { ...row, DatasetId: oregon })).toBe(null);
    expect(geoHash && evaluate(geoHash.expression, { ...row, DatasetId: null })).toBe(null);
  });

  test("is shown in a row that all datasets share", () => {
    const scope = scopeOf({
      datasets: [grant(texas, { Property: "*", Lookup: "*" }), grant(oregon, { Lookup: ["LookupName"] })],
    });
    const { select, filter } = restrict(query(lookupSet), scope);
    const value = select.find((item) => item.property.name === "LookupValue")?.expression ?? constant(false);
    const row = { LookupName: "StandardStatus", LookupValue: "Active" };
    expect(matches(filter, { ...row, DatasetId: null })).toBe(true);
    expect(evaluate(value, { ...row, DatasetId: null })).toBe("Active");
    expect(evaluate(value, { ...row, DatasetId: oregon })).toBe(null);
  });

  test("and is never the key, the timestamp or the originating system", () => {
    const { orderBy, select } = restrict(query(visibleEntitySet(propertySet, partial)), partial);
    expect(orderBy).toEqual([{ expression: property("ListingKey"), direction: "asc" }]);
    expect(select.slice(0, 3).map(({ expression }) => expression.kind)).toEqual([
      "Property",
      "Property",
      "Property",
    ]);
  });
});

describe("restrict", () => {
  test("leaves a query over fields that all datasets show as it is, the rows aside", () => {
    const scope = scopeOf({ datasets: [grant(texas, { Property: "*" }), grant(oregon, { Property: "*" })] });
    const variable = { kind: "Variable", type: "Edm.String", name: "y" } as const;
    const filter = allOf(
      compare(property("City"), "eq", literal("Austin")),
      { kind: "Not", type: "Edm.Boolean", operand: lambda(property("Appliances"), "any", "Oven") },
      {
        kind: "Membership",
        type: "Edm.Boolean",
        operand: property("ListPrice"),
        values: [literal(1n), literal(2n)],
      },
      {
        kind: "Lambda",
        type: "Edm.Boolean",
        operator: "any",
        collection: property("Appliances"),
        variable,
        predicate: null,
      },
      choice(constant(true), constant(false)),
    );
    const before = query(visibleEntitySet(propertySet, scope), { filter, top: 3, skip: 2, after: ["k"] });
    expect(restrict(before, scope)).toEqual({ ...before, filter: allOf(scope.rows("Property"), filter) });
  });

  test("gives the visible entity set, whichever form of the set the query has", () => {
    const scope = scopeOf({ datasets: [grant(texas, { Property: ["City"] })] });
    const visible = visibleEntitySet(propertySet, scope);
    const select = query(visible).select;
    expect(restrict(query(visible), scope).entitySet).toBe(visible);
    expect(restrict(query(propertySet, { select }), scope).entitySet).toBe(visible);
  });

  test("does not carry over what it does not know", () => {
    const scope = scopeOf();
    const more = { ...query(visibleEntitySet(propertySet, scope)), compute: property("City") };
    expect(restrict(more, scope)).not.toHaveProperty("compute");
  });

  const scope = scopeOf({ datasets: [grant(texas, { Property: ["City"] })] });
  const hidden = property("ListPrice");
  const isOne = compare(hidden, "gt", literal(1n));
  const unbound: readonly (readonly [string, Partial<BoundQuery>])[] = [
    ["filter", { filter: isOne }],
    ["filter, below `not`", { filter: { kind: "Not", type: "Edm.Boolean", operand: isOne } }],
    [
      "filter, below `in`",
      { filter: { kind: "Membership", type: "Edm.Boolean", operand: literal(1n), values: [hidden] } },
    ],
    ["filter, in a lambda", { filter: lambda(property("Appliances"), "any", "Oven") }],
    ["filter, in a choice", { filter: choice(isOne, constant(true)) }],
    ["order", { orderBy: [{ expression: hidden, direction: "asc" }] }],
    ["answer", { select: [{ property: prop(propertySet, "ListPrice"), expression: hidden }] }],
    [
      "answer, under a visible name",
      { select: [{ property: prop(propertySet, "City"), expression: hidden }] },
    ],
    [
      "answer, by name only",
      { select: [{ property: prop(propertySet, "ListPrice"), expression: property("City") }] },
    ],
    ["filter, by the dataset", { filter: compare(propertyNode(datasetProperty), "eq", literal(texas)) }],
  ];
  const structured = { name: "Listing", target: () => propertySet.type, collection: false };
  const structure = {
    kind: "Structure",
    type: { structure: propertySet.type, collection: false },
    property: structured,
  } as const;
  const it = { kind: "Variable", type: structure.type, name: "$it" } as const;
  const paths: readonly (readonly [string, BoundNode])[] = [
    ["a visible name behind a path", propertyNode(prop(propertySet, "City"), structure)],
    ["a hidden property of `$it`", propertyNode(prop(propertySet, "ListPrice"), it)],
    ["a structure", structure],
    ["`$it` itself", it],
    ["a property of another variable", propertyNode(prop(propertySet, "City"), { ...it, name: "x" })],
  ];
  test.each(paths)("throws on %s", (_, operand) => {
    const filter = compare(operand, "ne", literal(null));
    expect(() => restrict(query(visibleEntitySet(propertySet, scope), { filter }), scope)).toThrow(TypeError);
  });

  test("takes `$it/City` for `City`", () => {
    const city = propertyNode(prop(propertySet, "City"), it);
    const isNull = filtered(compare(city, "eq", literal(null)));
    expect([matches(isNull, inTexas), matches(isNull, inOregon)]).toEqual([false, true]);
  });

  test.each(unbound)("throws on a hidden property in the %s", (_, changes) => {
    expect(() => restrict(query(visibleEntitySet(propertySet, scope), changes), scope)).toThrow(TypeError);
  });

  test("alone makes a restricted query, and only of a compiled scope", () => {
    expectTypeOf(restrict).returns.toEqualTypeOf<RestrictedQuery>();
    expectTypeOf<RestrictedQuery>().toExtend<BoundQuery>();
    expectTypeOf<BoundQuery>().not.toExtend<RestrictedQuery>();
    const restricted = restrict(query(visibleEntitySet(propertySet, scope)), scope);
    // oxlint-disable-next-line typescript/no-misused-spread -- the type must not survive it
    const widened = { ...restricted, filter: constant(true) };
    expectTypeOf(widened).not.toExtend<RestrictedQuery>();
    // oxlint-disable-next-line typescript/no-misused-spread -- the type must not survive it
    const copied = { ...scope };
    expectTypeOf(copied).not.toExtend<Scope>();
  });
});

describe("what a caller of the library may bind beyond the service", () => {
  const visible = visibleEntitySet(propertySet, partial);

  test("a computed property is restricted in the answer and in a filter, whatever its name", () => {
    const compute = parseCompute("concat(City,'x') as Named");
    const named = bindQuery({ compute, select: parseSelect("Named"), top: 1 }, visible);
    const [projection] = restrict(named, partial).select;
    const shown = (row: typeof inTexas) => projection && evaluate(projection.expression, row);
    expect([shown(inTexas), shown(inOregon)]).toEqual(["Austinx", null]);
    const inCity = scopeOf({ datasets: [grant(texas, { Property: ["City"] })] });
    const asHidden = { compute: parseCompute("concat(City,'x') as ListPrice"), top: 1 };
    const { select } = restrict(bindQuery(asHidden, visibleEntitySet(propertySet, inCity)), inCity);
    const last = select.at(-1);
    expect([last?.property.name, last && evaluate(last.expression, inTexas)]).toEqual([
      "ListPrice",
      "Austinx",
    ]);
    const filter = parseFilter("Named eq 'Austinx'");
    const filtering = bindQuery({ compute, filter, select: parseSelect("ListPrice"), top: 1 }, visible);
    const restricted = restrict(filtering, partial).filter;
    expect([matches(restricted, inTexas), matches(restricted, inOregon)]).toEqual([true, false]);
  });

  test("the entities of `$expand` are no part of a query, and none of the scope", () => {
    const related = {
      name: "Offices",
      target: () => ({ ...visible.type, name: "Office" }),
      collection: true,
    };
    const structured = new Map([["Offices", related]]);
    const entitySet = { ...visible, type: { ...visible.type, structured } };
    const [item] = bindExpand(parseExpand("Offices"), entitySet);
    if (item === undefined) throw new Error("no item");
    expect(() => restrict(item.query, partial)).toThrow("without the entity set `Offices`");
    const path = bindQuery({ filter: parseFilter("Offices/any(o:o/City eq 'x')"), top: 1 }, entitySet);
    expect(() => restrict(path, partial)).toThrow("is hidden");
  });
});
