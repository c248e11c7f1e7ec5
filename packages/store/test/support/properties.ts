import { provisionalIdProperty, type ResourceGrant, type Scope } from "@cadastre/entitlement";
import type { Row } from "@cadastre/odata";
import fc from "fast-check";
import type { Change, StoredResource } from "../../src/index.ts";
import type { Resolution } from "../../src/registry/identities.ts";
import { entitySetOf, property } from "../../src/testing/entity-sets.ts";
import { grantsOf } from "../../src/testing/grants.ts";

/*
 * Generators of listings that share a few properties and ids, in two datasets that may hide or mask the fields with the ids.
 */

const [one, other] = [
  "9f0c6c0e-5a1b-4d57-8a35-3f8e1c2b7d10",
  "2b7e1f64-0c93-4e0a-b8d1-64a7f95c3e21",
] as const;

const place = ["Latitude", "Longitude"];

const properties = [
  property("ListingKey", "Edm.String", { nullable: false }),
  property("ModificationTimestamp", "Edm.DateTimeOffset", { nullable: false, precision: 3 }),
  property("OriginatingSystemName", "Edm.String", { nullable: false }),
  property("Placekey", "Edm.String", { derivedFrom: place }),
  property("StandardStatus"),
  property("ListPrice", "Edm.Decimal", { precision: 14, scale: 2 }),
  property("BedroomsTotal", "Edm.Int64"),
  property("CountyOrParish"),
  ...(provisionalIdProperty.derivedFrom ?? []).map((name) =>
    place.includes(name) ? property(name, "Edm.Decimal", { precision: 12, scale: 8 }) : property(name),
  ),
];

export const listingSet = entitySetOf("Property", properties);

export const listingResource: StoredResource = {
  entitySet: listingSet,
  columns: ["OriginatingSystemName", "ModificationTimestamp", "Placekey", "StateOrProvince"],
  indexes: [["Placekey"], [provisionalIdProperty.name]],
  hidden: [provisionalIdProperty],
};

export const placekeys = ["222-222@8t2-fjb-26k", "222-223@8t2-fjb-26k", "z22-222@8t2-fjb-26k"] as const;
const notPlacekeys = ["", "222", "a@b@8t2-fjb-26k", "@8t2-fjb-26-"] as const;
export const provisionals = ["1", "2", "3"].map((end) => `prov:0000000000000000000000000${end}`);
/** A Placekey that no listing has itself, so that listings belong to it only by a resolution. */
const resolvedOnly = "333-333@8t2-fjb-26k";
/** Ids to look up. */
export const everyId = [...placekeys, ...provisionals, resolvedOnly];

const keys = Array.from({ length: 24 }, (_, i) => `k${i}`);

const listing = fc.record({
  Placekey: fc.constantFrom(null, null, null, ...placekeys, ...notPlacekeys),
  provisional: fc.constantFrom(null, ...provisionals, ...provisionals),
  ModificationTimestamp: fc.constantFrom("2025-01-01T00:00:00.000Z", "2025-02-01T00:00:00.000Z"),
  StandardStatus: fc.constantFrom(null, "Active", "Closed"),
  ListPrice: fc.constantFrom(null, 350_000.5, 1),
  BedroomsTotal: fc.constantFrom(null, 2, 3),
  StateOrProvince: fc.constantFrom("TX", "OR"),
  City: fc.constantFrom(null, "Austin"),
  isOther: fc.boolean(),
});

export const changeOf = (
  key: string,
  said: { readonly isOther: boolean; readonly provisional: string | null } & Row,
): Change => {
  const { isOther, provisional, ...record } = said;
  const OriginatingSystemName = isOther ? "Other" : "One";
  return {
    resource: "Property",
    datasetId: isOther ? other : one,
    record: { ListingKey: key, OriginatingSystemName, Latitude: 30.25, Longitude: -97.75, ...record },
    hidden: { [provisionalIdProperty.name]: provisional },
  };
};

const removal = (key: string, datasetId: string): Change => ({
  resource: "Property",
  datasetId,
  removed: [key],
});

/** A listing moves to another dataset by being removed from the first. */
const change = fc
  .tuple(fc.constantFrom(...keys), fc.option(listing, { freq: 5 }))
  .map(([key, said]): readonly Change[] =>
    said === null
      ? [removal(key, one), removal(key, other)]
      : [removal(key, said.isOther ? one : other), changeOf(key, said)],
  );

export const noListings: readonly Change[] = keys.flatMap((key) => [removal(key, one), removal(key, other)]);

const grant: fc.Arbitrary<ResourceGrant> = fc.constantFrom<ResourceGrant>(
  { fields: "*" },
  { fields: "*" },
  { fields: "*", masks: { Placekey: "prefix3" } },
  { fields: "*", masks: { Latitude: "round2" } },
  { fields: properties.map(({ name }) => name).filter((name) => name !== "Placekey") },
  { fields: ["StandardStatus", "Placekey", "Latitude", "Longitude"] },
  { fields: ["ListPrice"] },
);

const scope: fc.Arbitrary<Scope> = fc
  .tuple(grant, fc.option(grant), fc.boolean())
  .map(([ofOne, ofOther, isTexan]) =>
    grantsOf(
      listingSet,
      { [one]: ofOne, ...(ofOther === null ? {} : { [other]: ofOther }) },
      isTexan ? { regions: [{ kind: "state", value: "TX" }] } : {},
    ),
  );

export const wholeScope = grantsOf(listingSet, { [one]: "*", [other]: "*" });

/** Ids in an order in which each is only resolved to a later one, so that there are no circles. */
const resolvable = [...provisionals, ...placekeys, resolvedOnly];

const resolutions = fc
  .uniqueArray(fc.nat(resolvable.length - 2), { maxLength: 4 })
  .chain((from) =>
    fc.tuple(
      ...from.map((i) =>
        fc
          .integer({ min: Math.max(i + 1, provisionals.length), max: resolvable.length - 1 })
          .map(
            (to): Resolution => ({ id: resolvable[i] ?? "", placekey: resolvable[to] ?? "", resolved: 0 }),
          ),
      ),
    ),
  );

export const worlds = fc.record({
  first: fc.array(change, { minLength: 5, maxLength: 40 }),
  later: fc.array(change, { maxLength: 20 }),
  scope,
  resolutions,
});
