import { describe, expect, test } from "vitest";
import { unwrapMasks } from "../../src/compile/unwrap-masks.ts";
import { type BoundNode, matches, type StructuralProperty } from "../../src/index.ts";
import { allOf, anyOf, constant, equals, propertyNode } from "../../src/tree/index.ts";

const property = (name: string): StructuralProperty => ({
  name,
  type: "Edm.String",
  collection: false,
  nullable: true,
});
const [city, dataset] = [propertyNode(property("City")), propertyNode(property("Dataset"))];
const text = (value: string | null): BoundNode => ({
  kind: "Constant",
  type: value === null ? "Null" : "Edm.String",
  value,
});
const isOurs = equals(dataset, text("a"));
const choice = (when: BoundNode, otherwise?: BoundNode): BoundNode => ({
  kind: "Choice",
  type: "Edm.String",
  when,
  value: city,
  ...(otherwise === undefined ? {} : { otherwise }),
});
const isOneOf = (operand: BoundNode, ...values: readonly BoundNode[]): BoundNode => ({
  kind: "Membership",
  type: "Edm.Boolean",
  operand,
  values,
});
const isAustin = equals(city, text("Austin"));
const listed = [text("Austin"), text("Waco")] as const;

const rewritten: readonly (readonly [string, BoundNode, BoundNode])[] = [
  ["an equality", equals(choice(isOurs), text("Austin")), allOf(isOurs, isAustin)],
  ["a list", isOneOf(choice(isOurs), ...listed), allOf(isOurs, isOneOf(city, ...listed))],
  ["what is never chosen", equals(choice(constant(false)), text("Austin")), constant(false)],
  [
    "alternatives",
    anyOf(isOneOf(choice(constant(false)), ...listed), equals(choice(isOurs), text("Austin"))),
    allOf(isOurs, isAustin),
  ],
];
const kept: readonly (readonly [string, BoundNode])[] = [
  ["a null", equals(choice(isOurs), text(null))],
  ["a list with a null", isOneOf(choice(isOurs), text("Austin"), text(null))],
  ["a choice between two values", equals(choice(isOurs, text("Waco")), text("Austin"))],
  ["an inequality", { ...equals(choice(isOurs), text("Austin")), comparator: "ne" }],
  ["a value that is no constant", equals(choice(isOurs), city)],
  ["alternatives without a choice", anyOf(isAustin, isOurs)],
];

const rows = ["a", "b", null].flatMap((Dataset) =>
  ["Austin", "Waco", "", null].map((City) => ({ Dataset, City })),
);

describe("a condition on a choice of a value or nothing", () => {
  test.each(rewritten)("is one on the value, where it is chosen: %s", (_, node, expected) => {
    const found = unwrapMasks(node);
    expect(found).toEqual(expected);
    for (const row of rows) expect(matches(found, row)).toBe(matches(node, row));
  });

  test.each(kept)("stays as it is: %s", (_, node) => {
    expect(unwrapMasks(node)).toBe(node);
  });
});
