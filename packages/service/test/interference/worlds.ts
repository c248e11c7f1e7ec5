import { listingProperties, mediaPermissionProperty } from "@cadastre/entitlement";
import type { Row } from "@cadastre/odata";
import type { RemovedRecord, StoredRecord } from "@cadastre/store";
import fc from "fast-check";
import { provisionalIdRow } from "../../src/identity/provisional-id.ts";
import {
  belongsToListing,
  type Grants,
  isVisible,
  listingOf,
  mediaOf,
  seen,
  type World,
} from "./projection.ts";
import { datasetsOf, fields, keyOf, keys, places, type ResourceName, recordNames } from "./universe.ts";
import { pointAt } from "./views.ts";

export const recordOf = (resource: ResourceName, key: string): fc.Arbitrary<StoredRecord> => {
  const values = Object.entries(fields[resource]).map(([name, of]): [string, fc.Arbitrary<unknown>] => [
    name,
    fc.constantFrom(...of),
  ]);
  return fc
    .record({
      datasetId: fc.constantFrom(...datasetsOf(resource)),
      values: fc.record(Object.fromEntries(values)),
    })
    .map(({ datasetId, values: given }) => {
      const record = { [keyOf(resource)]: key, ...given };
      return { resource, datasetId, record: resource === "Property" ? located(record) : record };
    });
};

/** Worlds with some of the keys, each with any record. */
export const worlds: fc.Arbitrary<World> = fc
  .tuple(
    ...recordNames.flatMap((resource) =>
      keys[resource].map((key) => fc.option(recordOf(resource, key), { freq: 5, nil: null })),
    ),
  )
  .map((rows) => rows.filter((row) => row !== null));

/** A change that replaces some records by those of another world. */
export type WorldChange = { readonly to: World; readonly kept: (identity: string) => boolean };

export const changes: fc.Arbitrary<WorldChange> = fc.record({ to: worlds, kept: fc.func(fc.boolean()) });

export const after = (world: World, { to, kept }: WorldChange): World => [
  ...world.filter((row) => kept(identityOf(row))),
  ...to.filter((row) => !kept(identityOf(row))),
];

/** Returns the listing with the fields that are computed from its location, including the "where" part of its Placekey. */
export function located(record: Row): Row {
  const { Latitude, Longitude, Placekey } = record;
  const at = places.findIndex((place) => place.Latitude === Latitude && place.Longitude === Longitude);
  const what = typeof Placekey === "string" ? Placekey.split("@", 1)[0] : undefined;
  const Coordinates = pointAt(Latitude, Longitude);
  return {
    ...record,
    Coordinates,
    Placekey: Coordinates !== null && what !== undefined ? `${what}@${places[at]?.where}` : null,
  };
}

/**
 * Returns a world that the caller cannot tell from `world`: everything that the caller may not see is taken from `donor`, whole records and
 * single fields. Media with a visible asset stay unchanged even if they are hidden, because they decide who may see the asset.
 */
export function varied(world: World, donor: World, grants: Grants): World {
  const others = new Map(donor.map((row) => [identityOf(row), row]));
  const visible = world.filter((row) => isVisible(row, world, grants));
  const changed = visible.map((row) => variedRecord(row, others.get(identityOf(row)), world, grants));
  const kept = new Map(
    changed.flatMap((row) => mediaOf(row, world) ?? []).map((row) => [identityOf(row), row]),
  );
  const made = [...changed.filter((row) => !kept.has(identityOf(row))), ...kept.values()];
  const taken = new Set(made.map(identityOf));
  const isOpen = (row: StoredRecord) => !taken.has(identityOf(row)) && !isVisible(row, made, grants);
  // Listings come first: they decide which of the other records are hidden.
  for (const resource of recordNames) {
    made.push(...donor.filter((row) => row.resource === resource && isOpen(row)));
  }
  return made;
}

const keyValueOf = ({ resource, record }: StoredRecord) => record[keyOf(resource as ResourceName)];

/** Returns a unique identifier of a record in a world. */
export const identityOf = (row: StoredRecord): string => `${row.resource}/${String(keyValueOf(row))}`;

export const removalOf = (row: StoredRecord): RemovedRecord => ({
  resource: row.resource,
  datasetId: row.datasetId,
  removed: [keyValueOf(row)],
});

/** Replaces the fields that look the same to the caller by the donor's, except where that would hide the record. */
function variedRecord(
  row: StoredRecord,
  donor: StoredRecord | undefined,
  world: World,
  grants: Grants,
): StoredRecord {
  if (donor === undefined) return row;
  const shown = (name: string, record: Row) => JSON.stringify(seen(name, record, row, grants));
  const isSeenAlike = (name: string) => shown(name, row.record) === shown(name, donor.record);
  const withDonors = (names: readonly string[]): StoredRecord => {
    const values = names.filter(isSeenAlike).map((name) => [name, donor.record[name] ?? null]);
    const record: Row = { ...row.record, ...(Object.fromEntries(values) as Row) };
    return { ...row, record: row.resource === "Property" ? located(record) : record };
  };
  const names = Object.keys(row.record);
  const whole = withDonors(names);
  return isVisible(whole, world, grants)
    ? whole
    : withDonors(names.filter((name) => !decidesVisibility.includes(name)));
}

const decidesVisibility = [
  "StateOrProvince",
  "CountyOrParish",
  "PostalCode",
  "ResourceRecordKey",
  "ListingKey",
  "MediaKey",
  "LookupName",
  "Permission",
];

/**
 * Returns the records with their hidden values, as they are passed to a store: the identity of a listing, and for records that belong to a
 * listing, the listing's values that decide if it is visible.
 */
export const stored = (world: World): World =>
  world.map((row) => {
    if (belongsToListing(row))
      return { ...row, hidden: { ...listingValues(listingOf(row, world)), ...mediaValues(row, world) } };
    return row.resource === "Property"
      ? { ...row, hidden: provisionalIdRow(row.datasetId, row.record) }
      : row;
  });

/** Replaces `prov:<ListingKey>` by the provisional id of that listing's property. */
export const withProvisionalIds = (text: string, world: World): string =>
  text.replace(/prov:(p\d)/g, (_, key: string) => {
    const row = world.find(({ resource, record }) => resource === "Property" && record["ListingKey"] === key);
    return String(
      Object.values(provisionalIdRow(row?.datasetId ?? null, row?.record ?? { ListingKey: key }))[0],
    );
  });

const mediaValues = (row: StoredRecord, world: World): Row =>
  row.resource === "MediaAsset"
    ? { [mediaPermissionProperty.name]: mediaOf(row, world)?.record["Permission"] ?? [] }
    : {};

function listingValues(listing: StoredRecord | undefined): Row {
  const { dataset, state, county, zip, originating_system } = listingProperties;
  const { record = {}, datasetId = null } = listing ?? {};
  return {
    [dataset.name]: datasetId,
    [state.name]: record["StateOrProvince"] ?? null,
    [county.name]: record["CountyOrParish"] ?? null,
    [zip.name]: record["PostalCode"] ?? null,
    [originating_system.name]: record["OriginatingSystemName"] ?? null,
  };
}
