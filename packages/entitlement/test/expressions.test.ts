import { restrict, scopeOf as scopeOfQuery, visibleEntitySet } from "@cadastre/entitlement";
import { type BoundNode, bindFilter, evaluate, matches, parseFilter } from "@cadastre/odata";
import { propertyNode } from "@cadastre/odata/tree";
import { describe, expect, test } from "vitest";
import { grant, oregon, scopeOf, texas } from "./support/documents.ts";
import { propertySet } from "./support/model.ts";
import { compare, literal, node, prop, query } from "./support/trees.ts";

/** Texas shows the fields that the filters name, and Oregon does not. */
const scope = scopeOf({
  datasets: [grant(texas, { Property: "*" }), grant(oregon, { Property: ["StandardStatus"] })],
});
const visible = visibleEntitySet(propertySet, scope);
const row = { City: "7", ListPrice: 7, Appliances: ["Oven"], StandardStatus: "Active" };
const bind = (text: string): BoundNode => bindFilter(parseFilter(text), visible);
const found = (filter: BoundNode) => {
  const restricted = restrict(query(visible, { filter }), scope);
  return [texas, oregon].map((DatasetId) => matches(restricted.filter, { ...row, DatasetId }));
};

describe("a field that only some datasets show is null elsewhere", () => {
  test.each([
    ["ListPrice add 1 eq 8"],
    ["-ListPrice eq -7"],
    ["cast(ListPrice,Edm.String) eq '7'"],
    ["isof(City,Edm.String)"],
    ["isof(ListPrice,Edm.Int16)"],
    ["Appliances/$count eq 1"],
    ["Appliances/any(a:a eq City or a eq 'Oven')"],
    ["length(City) eq 1"],
    ["City in ('7','8')"],
  ])("in `%s`", (text) => {
    expect(found(bind(text))).toEqual([true, false]);
  });

  test("in `has`", () => {
    const flags = [{ kind: "Constant", type: "Edm.String", value: "Oven" } as const];
    const has = {
      kind: "Flags",
      type: "Edm.Boolean",
      operand: node(propertySet, "Appliances"),
      flags,
    } as const;
    const restricted = restrict(query(visible, { filter: has }), scope).filter;
    const [, rewritten] = restricted.kind === "Logical" ? restricted.operands : [];
    const operand = rewritten?.kind === "Flags" ? rewritten.operand : undefined;
    expect(operand && evaluate(operand, { ...row, DatasetId: texas })).toEqual(["Oven"]);
    expect(operand && evaluate(operand, { ...row, DatasetId: oregon })).toEqual([]);
  });
});

describe("what is restricted already is the same object again", () => {
  const before = query(visible);

  test("an item of the order or of the answer that every dataset shows", () => {
    const after = restrict(before, scope);
    expect(after.orderBy[0]).toBe(before.orderBy[0]);
    const isKey = ({ property }: { readonly property: { readonly name: string } }) =>
      property.name === "ListingKey";
    expect(after.select.find(isKey)).toBe(before.select.find(isKey));
  });

  test("the answer of one selection, for one scope", () => {
    expect(restrict(before, scope).select).toBe(restrict({ ...before, top: 1 }, scope).select);
    const other = scopeOf();
    expect(
      restrict(query(visibleEntitySet(propertySet, other), { select: before.select }), other).select,
    ).not.toBe(restrict(before, scope).select);
  });
});

test("a restricted query tells its scope, a copy of it none", () => {
  const restricted = restrict(query(visible), scope);
  expect(scopeOfQuery(restricted)).toBe(scope);
  // oxlint-disable-next-line typescript/no-misused-spread -- what a copy carries is asked
  expect(scopeOfQuery({ ...restricted } as typeof restricted)).toBeUndefined();
});

test("a structure is refused by its own name", () => {
  const structured = { name: "Listing", target: () => propertySet.type, collection: false };
  const type = { structure: propertySet.type, collection: false };
  const structure = { kind: "Structure", type, property: structured } as const;
  for (const operand of [structure, propertyNode(prop(propertySet, "City"), structure)]) {
    const filter = compare(operand, "ne", literal(null));
    expect(() => restrict(query(visible, { filter }), scope)).toThrow(
      operand === structure ? "`Listing` is hidden" : "`City` is hidden",
    );
  }
});
