import {
  compileScope,
  type Entitlement,
  listingProperties,
  mediaPermissionProperty,
  type RestrictedQuery,
  restrict,
  type Scope,
  visibleEntitySet,
} from "@cadastre/entitlement";
import { bindQuery, type EntitySet, matches, type Row } from "@cadastre/odata";
import type { StoredRecord, StoredResource } from "../../src/index.ts";
import { testEntitlement } from "../../src/testing/grants.ts";

const entitySetOf = (
  name: string,
  properties: readonly string[],
  collections: readonly string[] = [],
): EntitySet => ({
  name,
  type: {
    name,
    key: ["Key"],
    properties: new Map(
      ["Key", ...properties, ...collections].map((one) => [
        one,
        {
          name: one,
          type: "Edm.String",
          collection: collections.includes(one),
          nullable: one !== "Key",
        },
      ]),
    ),
  },
});

const regional = ["StateOrProvince", "CountyOrParish", "PostalCode", "OriginatingSystemName"];
const sets = {
  Property: entitySetOf("Property", [...regional, "Remarks"]),
  Media: entitySetOf("Media", ["Remarks"], ["Permission"]),
  MediaAsset: entitySetOf("MediaAsset", ["Remarks"]),
  Member: entitySetOf("Member", ["Remarks"]),
  Unruled: entitySetOf("Unruled", ["Remarks"]),
};
export type WalledName = keyof typeof sets;
export const walledNames = Object.keys(sets) as readonly WalledName[];

const stored = (name: WalledName, more: Partial<StoredResource> = {}): StoredResource => ({
  entitySet: sets[name],
  columns: [],
  indexes: [],
  ...more,
});

/**
 * A resource for each kind of rule, and one without a rule. A listing's county and a photo's permission are only in the record's
 * text.
 */
export const walledResources: readonly StoredResource[] = [
  stored("Property", { columns: regional.filter((name) => name !== "CountyOrParish") }),
  stored("Media", { hidden: Object.values(listingProperties) }),
  stored("MediaAsset", { hidden: [...Object.values(listingProperties), mediaPermissionProperty] }),
  stored("Member"),
  stored("Unruled"),
];

export const datasets = [
  "9f0c6c0e-5a1b-4d57-8a35-3f8e1c2b7d10",
  "2b7e1f64-0c93-4e0a-b8d1-64a7f95c3e21",
  "c41d8a92-7e36-4b8f-9d04-1a5b60e2f732",
] as const;

const places = ["TX", "OR", null].flatMap((state) =>
  ["Travis", "Lane", null].flatMap((county) =>
    ["78701", "78701-1234", "97401", null].flatMap((zip) =>
      ["Lone Star MLS", "O'Fallon", null].map((system) => ({ state, county, zip, system })),
    ),
  ),
);

/** Public and non-public permissions. An unknown value makes a row non-public. */
const permissions = [
  null,
  [],
  ["Public"],
  ["Idx", "VOW", "Idx"],
  ["Private"],
  ["Public", "Firm Only"],
  ["public"],
  ["Public", null],
];

/** A record to store, and the same record as a row for evaluating a scope's predicate. */
export type WalledRow = { readonly stored: StoredRecord & { readonly datasetId: string }; readonly row: Row };

const listingHidden = (
  dataset: string | null,
  state: string | null,
  county: string | null,
  zip: string | null,
  system: string | null,
): Row => ({
  ListingDatasetId: dataset,
  ListingStateOrProvince: state,
  ListingCountyOrParish: county,
  ListingPostalCode: zip,
  ListingOriginatingSystemName: system,
});

export const walledRows = (remarks: string): Readonly<Record<WalledName, readonly WalledRow[]>> => {
  const rowOf = (resource: WalledName, datasetId: string, i: number, record: Row, hidden: Row): WalledRow => {
    const whole = { Key: `${resource}-${datasetId.slice(0, 2)}-${i}`, Remarks: remarks, ...record };
    return {
      stored: { resource, datasetId, record: whole, hidden },
      row: { ...whole, ...hidden, DatasetId: datasetId },
    };
  };
  const each = (make: (datasetId: string, d: number) => readonly WalledRow[]) => datasets.flatMap(make);
  return {
    Property: each((datasetId) =>
      places.map(({ state, county, zip, system }, i) =>
        rowOf(
          "Property",
          datasetId,
          i,
          { StateOrProvince: state, CountyOrParish: county, PostalCode: zip, OriginatingSystemName: system },
          {},
        ),
      ),
    ),
    // A photo may belong to another dataset than its listing, and may have no listing.
    Media: each((datasetId, d) =>
      places.map(({ state, county, zip, system }, i) =>
        rowOf(
          "Media",
          datasetId,
          i,
          { Permission: permissions[i % permissions.length] },
          listingHidden([...datasets, null][(d + (i % 3)) % 4] ?? null, state, county, zip, system),
        ),
      ),
    ),
    // An asset has the permission of its photo, and none without a photo.
    MediaAsset: each((datasetId, d) =>
      places.map(({ state, county, zip, system }, i) =>
        rowOf(
          "MediaAsset",
          datasetId,
          i,
          {},
          {
            ...listingHidden([...datasets, null][(d + (i % 3)) % 4] ?? null, state, county, zip, system),
            MediaPermission: permissions[i % permissions.length],
          },
        ),
      ),
    ),
    Member: each((datasetId) => [rowOf("Member", datasetId, 0, {}, {})]),
    Unruled: each((datasetId) => [rowOf("Unruled", datasetId, 0, {}, {})]),
  };
};

/** Datasets and regions of a scope; all fields are granted. */
export type Granted = {
  readonly regions: Entitlement["regions"];
  /** Ids of the datasets whose private rows are granted too. */
  readonly private?: readonly string[];
  readonly datasets: Readonly<Record<string, readonly WalledName[]>>;
};

export const walledScope = ({ regions, private: unlimited = [], datasets: granted }: Granted): Scope =>
  compileScope(
    {
      ...testEntitlement,
      regions,
      datasets: Object.entries(granted).map(([dataset_id, names]) => ({
        dataset_id,
        resources: Object.fromEntries(
          names.map((name) => {
            const isPrivate = name.startsWith("Media") && unlimited.includes(dataset_id);
            return [name, { fields: "*" as const, ...(isPrivate ? { private: true } : {}) }];
          }),
        ),
      })),
    },
    { entitySets: Object.values(sets) },
  );

/** Returns the query for all rows of an entity set, restricted to a scope. */
export const allOf = (name: WalledName, scope: Scope, top = 10_000): RestrictedQuery =>
  restrict(bindQuery({ top }, visibleEntitySet(sets[name], scope)), scope);

/** Returns the keys of the rows that a scope grants, by evaluating the predicate of `restrict` in memory. */
export const grantedKeys = (name: WalledName, scope: Scope): readonly string[] =>
  walledRows("")
    [name].filter(({ row }) => matches(scope.rows(name), row))
    .map(({ row }) => String(row["Key"]))
    .toSorted();
