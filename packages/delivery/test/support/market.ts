import {
  type Entitlement,
  type ResourceGrant,
  type ResourceRule,
  resourceRules,
  type Scope,
} from "@cadastre/entitlement";
import type { EntitySet, Row } from "@cadastre/odata";
import type { Change, Store, StoredResource } from "@cadastre/store";
import { entitySetOf, property } from "../../../store/test/support/entity-sets.ts";
import { type ExportSource, entitySetReader, storeSource } from "../../src/index.ts";
import { scopeFor } from "./scope.ts";

const dataset = "9f0c6c0e-5a1b-4d57-8a35-3f8e1c2b7d10";

const shared = [
  property("ModificationTimestamp", "Edm.DateTimeOffset", { nullable: false }),
  property("OriginatingSystemName"),
  property("StateOrProvince"),
  property("CountyOrParish"),
  property("PostalCode"),
  property("City"),
  property("ListPrice", "Edm.Int64"),
];

const setOf = (name: string, key: string): EntitySet =>
  entitySetOf(name, [property(key, "Edm.String", { nullable: false }), ...shared]);

/** Two sets, each visible by region: what links them is no matter of deltas. */
const sets = { Property: setOf("Property", "ListingKey"), Media: setOf("Media", "MediaKey") } as const;

type SetName = keyof typeof sets;

const setList: readonly EntitySet[] = Object.values(sets);

export const resources: readonly StoredResource[] = setList.map((entitySet) => ({
  entitySet,
  columns: ["ModificationTimestamp", "OriginatingSystemName", "StateOrProvince", "City"],
  indexes: [["ModificationTimestamp"]],
}));

function regionRule(): ResourceRule {
  const rule = resourceRules["Property"];
  if (rule === undefined) throw new RangeError("listings have no rule");
  return rule;
}

const rules = { Property: regionRule(), Media: regionRule() };

export type Granted = {
  readonly states: readonly string[];
  readonly fields: ResourceGrant["fields"];
  readonly products?: Entitlement["products"];
};

/** What a customer is granted by a version of its entitlement. */
export const scopeOf = (
  ver: number,
  { states, fields, products = ["listing"] }: Granted,
  sub = "customer",
): Scope =>
  scopeFor(
    {
      sub,
      ver,
      jti: String(ver),
      products,
      regions: states.map((value) => ({ kind: "state", value })),
      datasets: [{ dataset_id: dataset, resources: { Property: { fields }, Media: { fields } } }],
    },
    { entitySets: setList, rules },
  );

/** A record of a key from now on, or that it is removed. */
export type Edit = { readonly set: SetName; readonly key: string; readonly values: Row | undefined };

export const changeOf = ({ set, key, values }: Edit): Change =>
  values === undefined
    ? { resource: set, removed: [key] }
    : {
        resource: set,
        datasetId: dataset,
        record: {
          [sets[set].type.key[0] ?? ""]: key,
          ModificationTimestamp: "2024-05-01T10:00:00.000Z",
          ...values,
        },
      };

/** The datasets of `listing` that the market has. */
export const marketSource = (store: Pick<Store, "page" | "checkpoint">): ExportSource =>
  storeSource(store, {
    listing: entitySetReader(store, sets.Property),
    listing_media: entitySetReader(store, sets.Media),
  });

export const keyFields: Readonly<Record<string, string>> = {
  listing: "ListingKey",
  listing_media: "MediaKey",
};
