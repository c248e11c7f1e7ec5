import type { Mask, ResourceGrant } from "@cadastre/entitlement";
import type { Row } from "@cadastre/odata";
import { datasetOfField, keyOf, type ResourceName } from "./universe.ts";

/*
 * Model of how a grant shows a field, over plain records. It shares no code with the product.
 */

/** Functions of each kind of mask; `count` is its number of characters or digits. */
const maskKinds: Readonly<Record<string, (value: unknown, count: number) => unknown>> = {
  null: (value) => nothingFor(value),
  prefix: (value, count) => (typeof value === "string" ? value.slice(0, count) : value),
  round: (value, count) => (typeof value === "number" ? rounded(value, count) : value),
};

/** Returns the replacement for a value that is not shown. */
export const nothingFor = (value: unknown) => (Array.isArray(value) ? [] : null);

/** Rounds half away from zero. Shifts the digits in the text, where there are no rounding errors. */
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

/** Fields that are granted by a grant of contact data or by their own names, but not by `*`. */
const contactFields = ["MemberEmail", "OfficePhone", "OfficeEmail"];

/** Fields that are computed from others, with their inputs. `compute` gives the value if an input is masked. */
const derivations: Readonly<
  Record<string, { readonly from: readonly string[]; readonly compute: (...from: unknown[]) => unknown }>
> = {
  Coordinates: { from: ["Latitude", "Longitude"], compute: pointAt },
  Placekey: { from: ["Latitude", "Longitude"], compute: () => null },
};

/** Fields that contain the values of other fields: if one of these is masked, the field is not shown. */
const held: Readonly<Record<string, readonly string[]>> = {
  UniversalPropertyId: ["StateOrProvince", "CountyOrParish", "ParcelNumber", "UnitNumber"],
  UnparsedAddress: [
    "StreetNumber",
    "StreetDirPrefix",
    "StreetName",
    "StreetSuffix",
    "StreetDirSuffix",
    "UnitNumber",
    "City",
    "StateOrProvince",
    "CountyOrParish",
    "PostalCode",
  ],
};

export function pointAt(latitude: unknown, longitude: unknown): Row[string] {
  if (typeof latitude !== "number" || typeof longitude !== "number") return null;
  return { type: "Point", coordinates: [longitude, latitude] };
}

/** The view of a field that a grant gives: `isWhole` is true if it shows every value unchanged. */
type View = { readonly isWhole: boolean; readonly of: (record: Row) => unknown };

/** @param granted datasets of the whole entitlement: `*` includes the fields that only one of them has, and none of other datasets */
export function isGranted(
  field: string,
  resource: ResourceName,
  { fields, contact }: ResourceGrant,
  granted: readonly string[],
): boolean {
  if (isAlwaysGranted(field, resource)) return true;
  if (fields !== "*" && fields.includes(field)) return true;
  if (contactFields.includes(field)) return contact === true;
  const dataset = datasetOfField(resource, field);
  return fields === "*" && (dataset === undefined || granted.includes(dataset));
}

export const isAlwaysGranted = (field: string, resource: ResourceName): boolean =>
  field === keyOf(resource) || always.includes(field);

/** Returns how a grant shows a field; undefined if it hides it. */
export function viewOf(
  field: string,
  resource: ResourceName,
  grant: ResourceGrant,
  granted: readonly string[],
): View | undefined {
  if (!isGranted(field, resource, grant, granted)) return undefined;
  const { from = [], compute } = derivations[field] ?? {};
  const inputs = from.flatMap((input) => viewOf(input, resource, grant, granted) ?? []);
  if (inputs.length < from.length) return undefined;
  const areWhole = inputs.every(({ isWhole }) => isWhole);
  const before = (record: Row) =>
    areWhole || compute === undefined ? record[field] : compute(...inputs.map((input) => input.of(record)));
  const isHeldMasked = held[field]?.some((other) => grant.masks?.[other] !== undefined) === true;
  const mask = isHeldMasked ? "null" : grant.masks?.[field];
  return mask === undefined
    ? { isWhole: areWhole, of: before }
    : { isWhole: false, of: (record) => masked(before(record), mask) };
}
