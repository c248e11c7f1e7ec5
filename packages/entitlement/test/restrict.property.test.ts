import { type Entitlement, type Region, restrict } from "@cadastre/entitlement";
import { type BoundNode, compareRows, evaluate, matches } from "@cadastre/odata";
import { allOf, anyOf, callNode } from "@cadastre/odata/tree";
import fc from "fast-check";
import { expect, test } from "vitest";
import { datasetIds, document, fieldNames, row } from "./support/arbitraries.ts";
import { grant, scopeOf } from "./support/documents.ts";
import { propertySet } from "./support/model.ts";
import { entitledRows, type Row } from "./support/reference.ts";
import { choice, compare, lambda, literal, node, prop, query } from "./support/trees.ts";

const textFields = [
  "City",
  "StateOrProvince",
  "PostalCode",
  "GeoHash",
  "GeoHashPrefix",
  "OriginatingSystemName",
];

const always = ["ListingKey", "ModificationTimestamp", "OriginatingSystemName"];
const property = (name: string) => node(propertySet, name);
const degrees = (value: number | null): BoundNode => ({
  kind: "Constant",
  type: value === null ? "Null" : "Edm.Double",
  value,
});
const austin: BoundNode = {
  kind: "Constant",
  type: "Edm.GeographyPoint",
  value: { type: "Point", coordinates: [-97.75, 30.25] },
};
const predicate: fc.Arbitrary<BoundNode> = fc.letrec<{ predicate: BoundNode }>((tie) => ({
  predicate: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc
      .tuple(
        fc.constantFrom(...textFields),
        fc.constantFrom("eq", "ne", "gt", "lt"),
        fc.constantFrom("Austin", "A", "TX", "9v6", "9", "787", "", null),
      )
      .map(([name, comparator, value]) => compare(property(name), comparator, literal(value))),
    fc
      .tuple(fc.constantFrom("eq", "ne", "gt", "lt"), fc.constantFrom(1n, 2n, null))
      .map(([comparator, value]) => compare(property("ListPrice"), comparator, literal(value))),
    fc
      .tuple(
        fc.constantFrom("Latitude", "Longitude"),
        fc.constantFrom("eq", "gt"),
        fc.constantFrom(30, 30.3, 0, -97.8),
      )
      .map(([name, comparator, value]) => compare(property(name), comparator, degrees(value))),
    fc
      .tuple(fc.constantFrom("eq", "lt"), fc.constantFrom(null, 1, 6000, 40_000))
      .map(([comparator, metres]) =>
        compare(callNode("geo.distance", property("Coordinates"), austin), comparator, degrees(metres)),
      ),
    fc
      .tuple(fc.constantFrom("any", "all"), fc.constantFrom("Oven", "Dryer"))
      .map(([operator, value]) => lambda(property("Appliances"), operator, value)),
    fc.subarray(["Austin", "Eugene"]).map((values) => ({
      kind: "Membership" as const,
      type: "Edm.Boolean" as const,
      operand: property("City"),
      values: values.map(literal),
    })),
    fc
      .tuple(fc.subarray(textFields, { minLength: 1 }), fc.constantFrom(" austin ", " tx ", " 9v6 "))
      .map(([names, words]) => ({
        kind: "Search" as const,
        type: "Edm.Boolean" as const,
        texts: names.map(property),
        expression: { kind: "Phrase" as const, words },
      })),
    tie("predicate").map((operand) => ({ kind: "Not" as const, type: "Edm.Boolean" as const, operand })),
    fc.array(tie("predicate"), { maxLength: 3 }).map((operands) => allOf(...operands)),
    fc.array(tie("predicate"), { maxLength: 3 }).map((operands) => anyOf(...operands)),
    fc.tuple(tie("predicate"), tie("predicate")).map(([when, then]) => choice(when, then)),
  ),
})).predicate;

const namesIn = (tree: BoundNode): readonly string[] =>
  [
    ...JSON.stringify(tree, (_, value: unknown) =>
      typeof value === "bigint" ? Number(value) : value,
    ).matchAll(/"property":\{"name":"(\w+)"/g),
  ].map(([, name = ""]) => name);

test("a restricted query answers what the query answers over the entitled rows alone", () => {
  let answered = 0;
  fc.assert(
    fc.property(
      fc.array(row, { maxLength: 8 }),
      document,
      predicate,
      fc.subarray(fieldNames),
      fc.array(
        fc.tuple(fc.constantFrom("City", "ListPrice", "GeoHash", "Latitude"), fc.constantFrom("asc", "desc")),
        {
          maxLength: 2,
        },
      ),
      (rows, entitled, filter, selected, order) => {
        const orderBy = [...order, ["ListingKey", "asc"] as const].map(([name, direction]) => ({
          expression: property(name),
          direction,
        }));
        const select = selected.map((name) => ({
          property: prop(propertySet, name),
          expression: property(name),
        }));
        const asked = query(propertySet, { filter, orderBy, select });
        const scope = scopeOf(entitled);
        const answer = ({ filter, orderBy, select }: typeof asked, from: readonly Row[]) =>
          from
            .filter((one) => matches(filter, one))
            .toSorted((a, b) => compareRows(orderBy, a, b))
            .map((one) => select.map(({ expression }) => evaluate(expression, one)));

        const hidden = hiddenNames(entitled);
        const named = [...namesIn(filter), ...order.map(([name]) => name), ...selected];
        if (named.some((name) => hidden.has(name))) {
          expect(() => restrict(asked, scope)).toThrow(TypeError);
        } else {
          answered += 1;
          expect(answer(restrict(asked, scope), rows)).toEqual(answer(asked, entitledRows(rows, entitled)));
        }
      },
    ),
    { numRuns: 500 },
  );
  expect(answered).toBeGreaterThan(50);
});

/** Names that the reference model shows in no dataset, masks aside: what a row that is full everywhere shows nowhere. */
function hiddenNames(entitled: Entitlement): ReadonlySet<string> {
  const full = Object.fromEntries(fieldNames.map((name) => [name, name]));
  const regions: readonly Region[] = [{ kind: "national", value: "US" }];
  const datasets = entitled.datasets.map(({ dataset_id, resources }) =>
    grant(dataset_id, { Property: resources["Property"]?.fields ?? always }),
  );
  const rows = datasetIds.map((DatasetId) => ({ ...full, DatasetId }));
  const seen = entitledRows(rows, { ...entitled, regions, datasets });
  return new Set(
    fieldNames.filter((name) => !always.includes(name) && seen.every((one) => one[name] === null)),
  );
}
