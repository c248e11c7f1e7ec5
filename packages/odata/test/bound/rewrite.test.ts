import fc from "fast-check";
import { expect, test } from "vitest";
import { type BoundNode, bindFilter, parseFilter } from "../../src/index.ts";
import { mapChildren } from "../../src/tree/index.ts";
import { filterTexts } from "../support/arbitraries.ts";
import { listing } from "../support/listing.ts";

const identity = (node: BoundNode): BoundNode => mapChildren(node, identity);

test("rewriting every node to itself gives the same tree", () => {
  fc.assert(
    fc.property(filterTexts, (text) => {
      const bound = bindFilter(parseFilter(text), listing);
      expect(identity(bound)).toEqual(bound);
    }),
  );
});

test("a rewriter meets every property", () => {
  const met = new Set<string>();
  const visit = (node: BoundNode): BoundNode => {
    if (node.kind === "Property") met.add(node.property.name);
    return mapChildren(node, visit);
  };
  const text =
    "not (City eq 'a') and (contains(StandardStatus,'b') or ListPrice in (1,2)) and Appliances/any(a:a eq ListingKey)";
  visit(bindFilter(parseFilter(text), listing));
  expect([...met].sort()).toEqual(["Appliances", "City", "ListPrice", "ListingKey", "StandardStatus"]);
});
