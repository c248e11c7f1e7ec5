import {
  type Entitlement,
  provisionalIdProperty,
  type ResourceGrant,
  type ResourceRule,
  resourceRules,
  type Scope,
} from "@cadastre/entitlement";
import type { EntitySet, Row, StructuralProperty } from "@cadastre/odata";
import type { Change, Store, StoredResource } from "@cadastre/store";
import { entitySetOf, property } from "@cadastre/store/testing";
import {
  type ExportSource,
  entitySetReader,
  marketReader,
  pinnedReader,
  propertyReader,
  storeSource,
} from "../../src/index.ts";
import { scopeFor } from "./scope.ts";

const dataset = "9f0c6c0e-5a1b-4d57-8a35-3f8e1c2b7d10";

/** Fields that properties and reports are computed from. All sets have them, so that a grant may name them for each set. */
const shared = [
  property("ModificationTimestamp", "Edm.DateTimeOffset", { nullable: false }),
  property("OriginatingSystemName"),
  property("CountyOrParish"),
  property("Placekey"),
  property("PropertyType"),
  property("StandardStatus"),
  property("OnMarketDate", "Edm.Date"),
  property("ListPrice", "Edm.Int64"),
  ...(provisionalIdProperty.derivedFrom ?? []).map((name) => property(name)),
];

const setOf = (name: string, key: string, more: readonly StructuralProperty[] = [ofCities]): EntitySet =>
  entitySetOf(name, [property(key, "Edm.String", { nullable: false }), ...shared, ...more]);

/** A field that makes the values of a lookup visible. */
const ofCities = property("MailingCity", "Edm.String", {
  annotations: [{ term: "RESO.OData.Metadata.LookupName", value: "City" }],
});

/** Entity sets whose rows are visible by region, by dataset or by lookup. Links between them do not matter for deltas. */
const sets = {
  Property: setOf("Property", "ListingKey"),
  Media: setOf("Media", "MediaKey"),
  PublicRecord: setOf("PublicRecord", "PublicRecordKey"),
  Member: setOf("Member", "MemberKey"),
  Office: setOf("Office", "OfficeKey"),
  OpenHouse: setOf("OpenHouse", "OpenHouseKey"),
  Lookup: setOf("Lookup", "LookupKey", [property("LookupName", "Edm.String")]),
} as const;

export type SetName = keyof typeof sets;

const setList: readonly EntitySet[] = Object.values(sets);

export const resources: readonly StoredResource[] = setList.map((entitySet) => ({
  entitySet,
  columns: ["ModificationTimestamp", "OriginatingSystemName", "StateOrProvince", "City"],
  indexes: [["ModificationTimestamp"]],
  hidden: entitySet === sets.Property ? [provisionalIdProperty] : [],
}));

function ruleFor(resource: string): ResourceRule {
  const rule = resourceRules[resource];
  if (rule === undefined) throw new RangeError(`${resource} has no rule`);
  return rule;
}

const rules = {
  Property: ruleFor("Property"),
  Media: ruleFor("Property"),
  PublicRecord: ruleFor("PublicRecord"),
  Member: ruleFor("Member"),
  Office: ruleFor("Office"),
  OpenHouse: ruleFor("Property"),
  Lookup: ruleFor("Lookup"),
};

export type Granted = {
  readonly states: readonly string[];
  readonly fields: ResourceGrant["fields"];
  readonly products?: Entitlement["products"];
};

/** Compiles the scope of a version of a customer's entitlement. */
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
      datasets: [
        {
          dataset_id: dataset,
          resources: Object.fromEntries(
            setList.map(({ name }) => [name, { fields: grantable(name, fields) }]),
          ),
        },
      ],
    },
    { entitySets: setList, rules },
  );

/** Returns the fields of a grant that a set has. */
const grantable = (name: string, fields: ResourceGrant["fields"]): ResourceGrant["fields"] =>
  fields === "*" ? fields : fields.filter((field) => sets[name as SetName].type.properties.has(field));

/** A change: the new record of a key; without values, its removal. */
export type Edit = { readonly set: SetName; readonly key: string; readonly values: Row | undefined };

/** Returns one of three ids, so that listings share them. */
const provisionalIdOf = (key: string): string =>
  `prov:0000000000000000000000000${(key.codePointAt(0) ?? 0) % 3}`;

export const changeOf = ({ set, key, values }: Edit): Change =>
  values === undefined
    ? { resource: set, datasetId: dataset, removed: [key] }
    : {
        resource: set,
        datasetId: dataset,
        record: {
          [sets[set].type.key[0] ?? ""]: key,
          ModificationTimestamp: "2024-05-01T10:00:00.000Z",
          ...values,
        },
        hidden: set === "Property" ? { [provisionalIdProperty.name]: provisionalIdOf(key) } : {},
      };

/** An identity register without resolutions. */
const identities = { resolutions: async () => [], revision: async () => 1 };

/** Returns a source with the datasets of the market. */
export const marketSource = (store: Pick<Store, "page" | "checkpoint" | "stateAt">): ExportSource =>
  storeSource(store, {
    listing: entitySetReader(store, sets.Property),
    listing_media: entitySetReader(store, sets.Media),
    property: propertyReader({ store, entitySet: sets.Property, identities }),
    market_report: marketReader({ store, entitySet: sets.Property, least: 10 }),
    public_record: entitySetReader(store, sets.PublicRecord),
    member: entitySetReader(store, sets.Member),
    office: entitySetReader(store, sets.Office),
    open_house: entitySetReader(store, sets.OpenHouse),
    lookup: pinnedReader(entitySetReader(store, sets.Lookup), "the fields that have lookups"),
  });
