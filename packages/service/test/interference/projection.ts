import type { Entitlement, Mask, Region, ResourceGrant } from "@cadastre/entitlement";
import type { EntitySet, Row } from "@cadastre/odata";
import type { StoredRecord } from "@cadastre/store";
import { keyOf, type ResourceName, universeSet } from "./universe.ts";

/*
 * What an entitlement means, over plain records and without a tree: this page and the product's code share nothing.
 */

/** The records of a store, each with another key. */
export type World = readonly StoredRecord[];

export type Grants = Pick<Entitlement, "regions" | "datasets">;

/** What each kind of mask leaves of a value, by its number of characters or digits. A mask is another row. */
const maskKinds: Readonly<Record<string, (value: unknown, count: number) => unknown>> = {
  null: (value) => nothingFor(value),
  prefix: (value, count) => (typeof value === "string" ? value.slice(0, count) : value),
  round: (value, count) => (typeof value === "number" ? rounded(value, count) : value),
};

const nothingFor = (value: unknown) => (Array.isArray(value) ? [] : null);

/** Half away from zero; the digits are shifted in the text, where no number is a little off. */
const rounded = (value: number, digits: number): number =>
  Math.sign(value) * Number(`${Math.round(Number(`${Math.abs(value)}e${digits}`))}e-${digits}`);

function masked(value: unknown, mask: Mask): unknown {
  const [, kind = "", count = ""] = /^([a-z]+)(\d*)$/.exec(mask) ?? [];
  const leave = maskKinds[kind];
  if (leave === undefined) throw new RangeError(`no mask ${mask}`);
  return leave(value, Number(count));
}

/** Source: rulings on what is granted with the resource itself. */
const always = ["ModificationTimestamp", "OriginatingSystemName"];

/** Fields that only a grant of contact fields, or of the very name, shows. */
const contactFields = ["MemberEmail", "OfficePhone", "OfficeEmail"];

/** Values of `Permission` that make no Media record private. */
const openPermissions = ["Public", "IDX", "Vow"];

/** What each derived field is computed from, and how where one of these is masked. */
const derivations: Readonly<
  Record<string, { readonly from: readonly string[]; readonly compute: (...from: unknown[]) => unknown }>
> = {
  Coordinates: { from: ["Latitude", "Longitude"], compute: pointAt },
  Placekey: { from: ["Latitude", "Longitude"], compute: () => null },
};

export function pointAt(latitude: unknown, longitude: unknown): Row[string] {
  if (typeof latitude !== "number" || typeof longitude !== "number") return null;
  return { type: "Point", coordinates: [longitude, latitude] };
}

/** How much of a field a grant shows. */
type View = { readonly isWhole: boolean; readonly of: (record: Row) => unknown };

export function isGranted(
  field: string,
  resource: ResourceName,
  { fields, contact }: ResourceGrant,
): boolean {
  if (isAlwaysGranted(field, resource)) return true;
  if (fields !== "*" && fields.includes(field)) return true;
  return contactFields.includes(field) ? contact === true : fields === "*";
}

export const isAlwaysGranted = (field: string, resource: ResourceName): boolean =>
  field === keyOf(resource) || always.includes(field);

/** undefined where the grant hides the field. */
function viewOf(field: string, resource: ResourceName, grant: ResourceGrant): View | undefined {
  if (!isGranted(field, resource, grant)) return undefined;
  const { from = [], compute } = derivations[field] ?? {};
  const inputs = from.flatMap((input) => viewOf(input, resource, grant) ?? []);
  if (inputs.length < from.length) return undefined;
  const areWhole = inputs.every(({ isWhole }) => isWhole);
  const before = (record: Row) =>
    areWhole || compute === undefined ? record[field] : compute(...inputs.map((input) => input.of(record)));
  const mask = grant.masks?.[field];
  return mask === undefined
    ? { isWhole: areWhole, of: before }
    : { isWhole: false, of: (record) => masked(before(record), mask) };
}

const grantOf = (resource: ResourceName, dataset: string, { datasets }: Grants) =>
  datasets.find(({ dataset_id }) => dataset_id === dataset)?.resources[resource];

/** The value of a field as the caller sees it in a record of the dataset of `of`. */
export function seen(field: string, record: Row, of: StoredRecord, grants: Grants): unknown {
  const resource = of.resource as ResourceName;
  const grant = grantOf(resource, of.datasetId, grants);
  const view = grant && viewOf(field, resource, grant);
  return view === undefined ? nothingFor(record[field]) : (view.of(record) ?? null);
}

const viewsOf = (field: string, resource: ResourceName, { datasets }: Grants) =>
  datasets.flatMap(({ resources }) => {
    const grant = resources[resource];
    return grant === undefined ? [] : [viewOf(field, resource, grant)];
  });

/** The set without the fields that no dataset shows; undefined where no dataset grants it. */
export function seenSet(resource: ResourceName, grants: Grants): EntitySet | undefined {
  if (!grants.datasets.some(({ resources }) => resources[resource] !== undefined)) return undefined;
  const { type, ...set } = universeSet(resource);
  const isSeen = (name: string) => viewsOf(name, resource, grants).some((view) => view !== undefined);
  const properties = new Map([...type.properties].filter(([name]) => isSeen(name)));
  return { ...set, type: { ...type, properties } };
}

/** The fields of a resource of which the caller sees something, but not every value whole. */
export function partialFields(resource: ResourceName, grants: Grants): readonly string[] {
  return [...universeSet(resource).type.properties.keys()].filter((name) => {
    const views = viewsOf(name, resource, grants);
    return views.some((view) => view !== undefined) && views.some((view) => view?.isWhole !== true);
  });
}

export function isVisible(row: StoredRecord, world: World, grants: Grants): boolean {
  const resource = row.resource as ResourceName;
  const grant = grantOf(resource, row.datasetId, grants);
  if (grant === undefined) return false;
  switch (resource) {
    case "Property":
      return grants.regions.some((region) => contains(region, row.record));
    case "Media": {
      const listing = listingOf(row.record, world);
      if (grant.private !== true && isPrivate(row.record)) return false;
      return listing !== undefined && isVisible(listing, world, grants);
    }
    case "Member":
    case "Office":
      return true;
  }
}

const isPrivate = ({ Permission }: Row): boolean =>
  Array.isArray(Permission) && Permission.some((value) => !openPermissions.includes(String(value)));

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
