import type { DatasetGrant, Entitlement, Region } from "@cadastre/entitlement";
import type { EntitySet, Row } from "@cadastre/odata";
import type { StoredRecord } from "@cadastre/store";
import { keyOf, type ResourceName, universeSet } from "./universe.ts";

/*
 * What an entitlement means, over plain records and without a tree: this page and the product's code share nothing.
 */

/** The records of a store, each with another key. */
export type World = readonly StoredRecord[];

export type Grants = Pick<Entitlement, "regions" | "datasets">;

/** How a field is seen through each way of showing it. A mask is another row. */
const views = {
  shown: (value: unknown) => value,
  hidden: (value: unknown) => (Array.isArray(value) ? [] : null),
} as const satisfies Record<string, (value: unknown) => unknown>;

/** Source: rulings on what is granted with the resource itself. */
const always = ["ModificationTimestamp", "OriginatingSystemName"];

/** What each derived field is computed from. */
const inputs: Readonly<Record<string, readonly string[]>> = {
  Coordinates: ["Latitude", "Longitude"],
  Placekey: ["Latitude", "Longitude"],
};

const grantOf = (resource: ResourceName, dataset: string, { datasets }: Grants) =>
  datasets.find(({ dataset_id }) => dataset_id === dataset)?.resources[resource];

function viewOf(
  field: string,
  resource: ResourceName,
  grant: DatasetGrant["resources"][string],
): keyof typeof views {
  if (field === keyOf(resource) || always.includes(field)) return "shown";
  const isGranted = grant.fields === "*" || grant.fields.includes(field);
  const areInputs = (inputs[field] ?? []).every((input) => viewOf(input, resource, grant) === "shown");
  return isGranted && areInputs ? "shown" : "hidden";
}

/** The value of a field as the caller sees it in a record of the dataset. */
export function seen(value: unknown, field: string, of: StoredRecord, grants: Grants): unknown {
  const resource = of.resource as ResourceName;
  const grant = grantOf(resource, of.datasetId, grants);
  return views[grant === undefined ? "hidden" : viewOf(field, resource, grant)](value);
}

/** The set without the fields that no dataset shows; undefined where no dataset grants it. */
export function seenSet(resource: ResourceName, grants: Grants): EntitySet | undefined {
  const given = grants.datasets.flatMap(({ resources }) => resources[resource] ?? []);
  if (given.length === 0) return undefined;
  const { type, ...set } = universeSet(resource);
  const properties = new Map(
    [...type.properties].filter(([name]) => given.some((grant) => viewOf(name, resource, grant) === "shown")),
  );
  return { ...set, type: { ...type, properties } };
}

/** The fields of a resource that some of the datasets show, and others that grant it do not. */
export function partialFields(resource: ResourceName, grants: Grants): readonly string[] {
  const given = grants.datasets.flatMap(({ resources }) => resources[resource] ?? []);
  const isShown = (name: string) => given.map((grant) => viewOf(name, resource, grant) === "shown");
  return [...universeSet(resource).type.properties.keys()].filter((name) => {
    const shown = isShown(name);
    return shown.includes(true) && shown.includes(false);
  });
}

export function isVisible(row: StoredRecord, world: World, grants: Grants): boolean {
  const resource = row.resource as ResourceName;
  if (grantOf(resource, row.datasetId, grants) === undefined) return false;
  switch (resource) {
    case "Property":
      return grants.regions.some((region) => contains(region, row.record));
    case "Media": {
      const listing = listingOf(row.record, world);
      return listing !== undefined && isVisible(listing, world, grants);
    }
    case "Member":
      return true;
  }
}

/** The listing that a Media record belongs to. */
export const listingOf = (media: Row, world: World): StoredRecord | undefined =>
  world.find(
    ({ resource, record }) => resource === "Property" && record["ListingKey"] === media["ResourceRecordKey"],
  );

/** What the caller may know of a world: the visible records, each with what is seen of its fields. */
export const entitled = (world: World, grants: Grants): World =>
  world
    .filter((row) => isVisible(row, world, grants))
    .map((row) => ({
      ...row,
      record: Object.fromEntries(
        Object.entries(row.record).map(([name, value]) => [name, seen(value, name, row, grants)]),
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
