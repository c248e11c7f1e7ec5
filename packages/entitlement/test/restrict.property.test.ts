import { type Entitlement, type Region, restrict } from "@cadastre/entitlement";
import { allOf, anyOf, type BoundNode, compareRows, evaluate, matches } from "@cadastre/odata";
import fc from "fast-check";
import { expect, test } from "vitest";
import { entitlement, nevada, oregon, scopeOf, texas } from "./support/documents.ts";
import { propertySet } from "./support/model.ts";
import { entitledRows, type Row } from "./support/reference.ts";
import { choice, compare, lambda, literal, node, prop, query } from "./support/trees.ts";

const datasetIds = [texas, oregon, nevada];
const systems = ["Lone Star MLS", "Oregon MLS"];
const fieldNames = [...propertySet.type.properties.keys()];
const textFields = [
  "City",
  "StateOrProvince",
  "PostalCode",
  "GeoHash",
  "GeoHashPrefix",
  "OriginatingSystemName",
];

const row: fc.Arbitrary<Row> = fc.record({
  DatasetId: fc.constantFrom(...datasetIds, null),
  ListingKey: fc.uuid(),
  ModificationTimestamp: fc.constantFrom("1", "2"),
  OriginatingSystemName: fc.constantFrom(...systems),
  StateOrProvince: fc.constantFrom("TX", "OR", null),
  CountyOrParish: fc.constantFrom("Travis", "Lane", null),
  PostalCode: fc.constantFrom("78701", "78701-1234", "97201", "7870", null),
  City: fc.constantFrom("Austin", "Eugene", "", null),
  ListPrice: fc.constantFrom(1, 2, 3, null),
  StandardStatus: fc.constantFrom("Active", null),
  Appliances: fc.subarray(["Oven", "Dryer"]),
  Latitude: fc.constantFrom(30, null),
  Longitude: fc.constantFrom(-97, null),
  GeoHash: fc.constantFrom("9v6", null),
  GeoHashPrefix: fc.constantFrom("9", null),
});

const region: fc.Arbitrary<Region> = fc.constantFrom<Region>(
  { kind: "national", value: "US" },
  { kind: "state", value: "TX" },
  { kind: "county", value: "TX/Travis" },
  { kind: "county", value: "OR/Lane" },
  { kind: "county", value: "TX/Lane" },
  { kind: "zip", value: "78701" },
  { kind: "zip", value: "97201" },
  { kind: "originating_system", value: "Oregon MLS" },
);

const fields = fc.oneof(fc.constant("*" as const), fc.subarray(fieldNames, { minLength: 1 }));
const dataset = fc.record({
  dataset_id: fc.constantFrom(...datasetIds),
  resources: fc.oneof(
    fc.record({ Property: fc.record({ fields }) }),
    fc.constant<Record<string, { fields: "*" }>>({ Member: { fields: "*" } }),
  ),
});
const document: fc.Arbitrary<Entitlement> = fc
  .record({
    regions: fc.uniqueArray(region, { minLength: 1, maxLength: 3 }),
    datasets: fc.uniqueArray(dataset, { minLength: 1, selector: ({ dataset_id }) => dataset_id }),
  })
  .map(entitlement);

const property = (name: string) => node(propertySet, name);
const predicate: fc.Arbitrary<BoundNode> = fc.letrec<{ predicate: BoundNode }>((tie) => ({
  predicate: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc
      .tuple(
        fc.constantFrom(...textFields),
        fc.constantFrom("eq", "ne", "gt", "lt"),
        fc.constantFrom("Austin", "TX", "9v6", "", null),
      )
      .map(([name, comparator, value]) => compare(property(name), comparator, literal(value))),
    fc
      .tuple(fc.constantFrom("eq", "ne", "gt", "lt"), fc.constantFrom(1n, 2n, null))
      .map(([comparator, value]) => compare(property("ListPrice"), comparator, literal(value))),
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
      fc.array(fc.tuple(fc.constantFrom("City", "ListPrice", "GeoHash"), fc.constantFrom("asc", "desc")), {
        maxLength: 2,
      }),
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

/** Names that the reference model shows in no dataset: what a row that is full everywhere shows nowhere. */
function hiddenNames(entitled: Entitlement): ReadonlySet<string> {
  const full = Object.fromEntries(fieldNames.map((name) => [name, name]));
  const regions: readonly Region[] = [{ kind: "national", value: "US" }];
  const rows = datasetIds.map((DatasetId) => ({ ...full, DatasetId }));
  const seen = entitledRows(rows, { ...entitled, regions });
  const always = ["ListingKey", "ModificationTimestamp", "OriginatingSystemName"];
  return new Set(
    fieldNames.filter((name) => !always.includes(name) && seen.every((one) => one[name] === null)),
  );
}
