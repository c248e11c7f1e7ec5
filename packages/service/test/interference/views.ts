import type { Mask, ResourceGrant } from "@cadastre/entitlement";
import type { Row } from "@cadastre/odata";
import { keyOf, type ResourceName } from "./universe.ts";

/*
 * How a grant shows a field, over plain records: this page and the product's code share nothing.
 */

/** What each kind of mask leaves of a value, by its number of characters or digits. A mask is another row. */
const maskKinds: Readonly<Record<string, (value: unknown, count: number) => unknown>> = {
  null: (value) => nothingFor(value),
  prefix: (value, count) => (typeof value === "string" ? value.slice(0, count) : value),
  round: (value, count) => (typeof value === "number" ? rounded(value, count) : value),
};

/** What stands for a value that is not shown. */
export const nothingFor = (value: unknown) => (Array.isArray(value) ? [] : null);

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

/** What each derived field is computed from, and how where one of these is masked. */
const derivations: Readonly<
  Record<string, { readonly from: readonly string[]; readonly compute: (...from: unknown[]) => unknown }>
> = {
  Coordinates: { from: ["Latitude", "Longitude"], compute: pointAt },
  Placekey: { from: ["Latitude", "Longitude"], compute: () => null },
};

/** What the values of a field hold: where one of these is masked, nothing of the field is shown. */
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
export function viewOf(field: string, resource: ResourceName, grant: ResourceGrant): View | undefined {
  if (!isGranted(field, resource, grant)) return undefined;
  const { from = [], compute } = derivations[field] ?? {};
  const inputs = from.flatMap((input) => viewOf(input, resource, grant) ?? []);
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
