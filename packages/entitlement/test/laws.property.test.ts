import { type Entitlement, type ResourceGrant, restrict, visibleEntitySet } from "@cadastre/entitlement";
import { evaluate, matches } from "@cadastre/odata";
import fc from "fast-check";
import { expect, test } from "vitest";
import { datasetIds, document, fieldNames, propertyGrant, region, row } from "./support/arbitraries.ts";
import { grant, scopeOf } from "./support/documents.ts";
import { propertySet } from "./support/model.ts";
import type { Row } from "./support/reference.ts";
import { query } from "./support/trees.ts";

/** Rows whose coordinates are what they are derived from. */
const rows = fc.array(
  row.map((one): Row => {
    const coordinates = [one["Longitude"], one["Latitude"]];
    return { ...one, Coordinates: coordinates.includes(null) ? null : { type: "Point", coordinates } };
  }),
  { minLength: 1, maxLength: 8 },
);

/** Every visible field of every visible row, by key; undefined for a row that is hidden. */
function seenBy(entitled: Entitlement, given: readonly Row[]): readonly (Row | undefined)[] {
  const scope = scopeOf(entitled);
  const { filter, select } = restrict(query(visibleEntitySet(propertySet, scope)), scope);
  return given.map((one) =>
    matches(filter, one)
      ? Object.fromEntries(
          select.map(({ property, expression }) => [property.name, evaluate(expression, one)]),
        )
      : undefined,
  );
}

const isNothing = (value: unknown) =>
  value === null || value === undefined || (Array.isArray(value) && value.length === 0);

/** The grants of Property, each changed. */
const regranted = (
  { datasets, ...rest }: Entitlement,
  change: (given: ResourceGrant) => ResourceGrant,
): Entitlement => ({
  ...rest,
  datasets: datasets.map(({ dataset_id, resources: { Property, ...others } }) => ({
    dataset_id,
    resources: { ...others, ...(Property && { Property: change(Property) }) },
  })),
});

/** More of what a document grants. */
const growth = fc.oneof(
  region.map(
    (more) =>
      (given: Entitlement): Entitlement => ({ ...given, regions: [...given.regions, more] }),
  ),
  fc.tuple(fc.constantFrom(...datasetIds), propertyGrant).map(([id, more]) => (given: Entitlement) => {
    const isNew = given.datasets.every(({ dataset_id }) => dataset_id !== id);
    // A further grant of a dataset may mask what the first did not.
    const Property: ResourceGrant = isNew ? more : { fields: more.fields };
    return { ...given, datasets: [...given.datasets, grant(id, { Property })] };
  }),
  fc.constant((given: Entitlement) => regranted(given, ({ fields }) => ({ fields }))),
);

test("more regions, datasets and fields, and fewer masks, never lose a row or a value", () => {
  let rowsSeen = 0;
  fc.assert(
    fc.property(rows, document, growth, (given, entitled, grow) => {
      const after = seenBy(grow(entitled), given);
      for (const [i, before] of seenBy(entitled, given).entries()) {
        if (before === undefined) continue;
        rowsSeen += 1;
        for (const [name, value] of Object.entries(before)) {
          if (!isNothing(value)) expect(isNothing(after[i]?.[name]), name).toBe(false);
        }
        expect(after[i]).toBeDefined();
      }
    }),
    { numRuns: 500 },
  );
  expect(rowsSeen).toBeGreaterThan(100);
});

test("a scope is the same whatever the order of the document, and however often it says a thing", () => {
  const shuffled = <T>(items: readonly T[]) => fc.shuffledSubarray([...items], { minLength: items.length });
  const both = document.chain((given) =>
    fc
      .record({
        regions: shuffled(given.regions),
        datasets: fc.tuple(shuffled(given.datasets), fc.subarray([...given.datasets])),
      })
      .map(({ regions, datasets }) => [given, { ...given, regions, datasets: datasets.flat() }] as const),
  );
  fc.assert(
    fc.property(rows, both, (given, [one, other]) => {
      expect(scopeOf(other).scopeSha256).toBe(scopeOf(one).scopeSha256);
      expect(seenBy(other, given)).toEqual(seenBy(one, given));
    }),
  );
});

test("what no grant names is not seen: no row of another dataset, no other field", () => {
  fc.assert(
    fc.property(rows, document, (given, entitled) => {
      for (const [i, seen] of seenBy(entitled, given).entries()) {
        if (seen === undefined) continue;
        const granted = entitled.datasets.find(({ dataset_id }) => dataset_id === given[i]?.["DatasetId"]);
        const fields = granted?.resources["Property"]?.fields;
        expect(fields).toBeDefined();
        const always = ["ListingKey", "ModificationTimestamp", "OriginatingSystemName"];
        for (const [name, value] of Object.entries(seen)) {
          if (fields !== "*" && !fields?.includes(name) && !always.includes(name)) {
            expect(isNothing(value), name).toBe(true);
          }
        }
      }
    }),
  );
});

test("a mask wins over any grant of its dataset", () => {
  fc.assert(
    fc.property(rows, document, fc.constantFrom(...datasetIds), (given, entitled, id) => {
      const whole = {
        ...entitled,
        datasets: [...entitled.datasets, grant(id, { Property: { fields: "*" } })],
      };
      const masks = { City: "null", Latitude: "null", Appliances: "null" } as const;
      const datasets = [grant(id, { Property: { fields: fieldNames, masks } }), ...whole.datasets];
      for (const [i, seen] of seenBy({ ...whole, datasets }, given).entries()) {
        if (seen === undefined || given[i]?.["DatasetId"] !== id) continue;
        const { City, Latitude, Appliances, Coordinates, GeoHash } = seen;
        expect([City, Latitude, Appliances, Coordinates, GeoHash]).toEqual([null, null, [], null, null]);
      }
    }),
  );
});
