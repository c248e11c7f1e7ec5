import type { Entitlement, Region } from "@cadastre/entitlement";
import type { EntitySet, Row } from "@cadastre/odata";
import type { StoredRecord } from "@cadastre/store";
import { type ResourceName, resourceNames, universeSet } from "./universe.ts";
import { nothingFor, viewOf } from "./views.ts";

/*
 * Model of what an entitlement means, over plain records. It shares no code with the product.
 */

/** The records of a store, each with a different key. */
export type World = readonly StoredRecord[];

export type Grants = Pick<Entitlement, "regions" | "datasets">;

const grantOf = (resource: ResourceName, dataset: string | null, { datasets }: Grants) =>
  datasets.find(({ dataset_id }) => dataset_id === dataset)?.resources[resource];

/** Returns a field's value as the caller sees it. `of` tells the record's resource and dataset. */
export function seen(field: string, record: Row, of: StoredRecord, grants: Grants): unknown {
  const resource = of.resource as ResourceName;
  if (of.datasetId === null) return mostSeen(field, record, resource, grants);
  const grant = grantOf(resource, of.datasetId, grants);
  const view = grant && viewOf(field, resource, grant, idsOf(grants));
  return view === undefined ? nothingFor(record[field]) : (view.of(record) ?? null);
}

/** Returns the value of a record that all datasets share: the longest text that any of them shows. */
function mostSeen(field: string, record: Row, resource: ResourceName, grants: Grants): unknown {
  const values = viewsOf(field, resource, grants).map((view) => view?.of(record) ?? null);
  const [most = null] = values.toSorted((a, b) => lengthOf(b) - lengthOf(a));
  return most;
}

const lengthOf = (value: unknown): number => (typeof value === "string" ? value.length : -1);

const idsOf = ({ datasets }: Grants): readonly string[] => datasets.map(({ dataset_id }) => dataset_id);

/** @param of datasets whose views are asked for */
const viewsOf = (field: string, resource: ResourceName, grants: Grants, of = grants.datasets) =>
  of.flatMap(({ resources }) => {
    const grant = resources[resource];
    return grant === undefined ? [] : [viewOf(field, resource, grant, idsOf(grants))];
  });

/** Returns the entity set without the fields that no dataset shows; undefined if no dataset grants it. */
export function seenSet(resource: ResourceName, grants: Grants): EntitySet | undefined {
  if (!grants.datasets.some(({ resources }) => resources[resource] !== undefined)) return undefined;
  const { type, ...set } = universeSet(resource);
  const isSeen = (name: string) => viewsOf(name, resource, grants).some((view) => view !== undefined);
  const properties = new Map([...type.properties].filter(([name]) => isSeen(name)));
  return { ...set, type: { ...type, properties } };
}

/** Returns the fields of a resource that the caller sees, but not in full in all datasets. */
export function partialFields(resource: ResourceName, grants: Grants): readonly string[] {
  return [...universeSet(resource).type.properties.keys()].filter((name) => {
    const views = viewsOf(name, resource, grants);
    return views.some((view) => view !== undefined) && views.some((view) => view?.isWhole !== true);
  });
}

export function isVisible(row: StoredRecord, world: World, grants: Grants): boolean {
  const resource = row.resource as ResourceName;
  if (resource === "Lookup") return isVisibleLookup(row, grants);
  const grant = grantOf(resource, row.datasetId, grants);
  if (grant === undefined) return false;
  switch (resource) {
    case "Property":
    case "PublicRecord":
      return grants.regions.some((region) => contains(region, row.record));
    case "Media":
    case "OpenHouse": {
      const listing = listingOf(row, world);
      if (grant.private !== true && isPrivate(row.record)) return false;
      return listing !== undefined && isVisible(listing, world, grants);
    }
    case "MediaAsset": {
      const media = mediaOf(row, world);
      const listing = listingOf(row, world);
      if (media === undefined || (grant.private !== true && isPrivate(media.record))) return false;
      return listing !== undefined && isVisible(listing, world, grants);
    }
    case "Member":
    case "Office":
      return true;
  }
}

/** True if the row describes a field that its dataset shows. For a shared row, any granted dataset will do. */
function isVisibleLookup({ datasetId, record }: StoredRecord, grants: Grants): boolean {
  const own = grants.datasets.filter(({ dataset_id }) => datasetId === null || dataset_id === datasetId);
  if (!own.some(({ resources }) => resources["Lookup"] !== undefined)) return false;
  return resourceNames.some((resource) =>
    [...universeSet(resource).type.properties.values()].some(
      ({ name, annotations = [] }) =>
        annotations.some(({ term, value }) => term === lookupTerm && value === record["LookupName"]) &&
        viewsOf(name, resource, grants, own).some((view) => view !== undefined),
    ),
  );
}

const lookupTerm = "RESO.OData.Metadata.LookupName";

/** Values of `Permission` that do not make a Media record private. */
const openPermissions = ["Public", "IDX", "Vow"];

const isPrivate = ({ Permission }: Row): boolean =>
  Array.isArray(Permission) && Permission.some((value) => !openPermissions.includes(String(value)));

/** Field that refers to the listing, by resource. */
const listingKeys: Readonly<Record<string, string>> = { Media: "ResourceRecordKey", OpenHouse: "ListingKey" };

export const belongsToListing = ({ resource }: StoredRecord): boolean =>
  resource === "MediaAsset" || Object.hasOwn(listingKeys, resource);

/** Returns the media record of an asset. */
export const mediaOf = ({ resource: of, record: asset }: StoredRecord, world: World) =>
  of === "MediaAsset"
    ? world.find(({ resource, record }) => resource === "Media" && record["MediaKey"] === asset["MediaKey"])
    : undefined;

/** Returns the listing that a record belongs to, directly or through its media. */
export function listingOf(row: StoredRecord, world: World): StoredRecord | undefined {
  const { resource: of, record: child } = mediaOf(row, world) ?? row;
  return world.find(
    ({ resource, record }) =>
      resource === "Property" && record["ListingKey"] === child[listingKeys[of] ?? ""],
  );
}

/** Returns what the caller may know of a world: the visible records, with the visible values of their fields. */
export const entitled = (world: World, grants: Grants): World =>
  world
    .filter((row) => isVisible(row, world, grants))
    .map((row) => ({
      ...row,
      record: Object.fromEntries(
        Object.keys(row.record).map((name) => [name, seen(name, row.record, row, grants)]),
      ),
    }));

function contains({ kind, value }: Region, row: Row): boolean {
  const { StateOrProvince, CountyOrParish, PostalCode, OriginatingSystemName } = row;
  switch (kind) {
    case "national":
      return true;
    case "state":
      return StateOrProvince === value;
    case "county":
      return [StateOrProvince, CountyOrParish].join("/") === value;
    case "zip":
      return typeof PostalCode === "string" && PostalCode.slice(0, 5) === value;
    case "originating_system":
      return OriginatingSystemName === value;
  }
}
