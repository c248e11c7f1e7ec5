import type { DatasetGrant, Mask, ResourceGrant } from "@cadastre/entitlement";
import fc from "fast-check";
import type { Grants } from "./projection.ts";
import { datasets, masks, type ResourceName, recordNames, regions, universeSet } from "./universe.ts";
import { isAlwaysGranted, isGranted } from "./views.ts";

/** Rights that a grant of each resource may include besides its fields. */
const policies: Readonly<Record<ResourceName, readonly ("private" | "contact")[]>> = {
  Property: [],
  Media: ["private"],
  MediaAsset: ["private"],
  Member: ["contact"],
  Office: ["contact"],
  OpenHouse: [],
  Lookup: [],
  PublicRecord: [],
};

type FieldMask = readonly [field: string, mask: Mask];

/** Masks of some fields, which are not necessarily granted. */
function fieldMasks(resource: ResourceName): fc.Arbitrary<readonly FieldMask[]> {
  const fitting = Object.entries(masks[resource]).flatMap(([field, of]) =>
    of.map((mask): FieldMask => [field, mask]),
  );
  const nulls = [...universeSet(resource).type.properties.keys()]
    .filter((field) => !isAlwaysGranted(field, resource))
    .map((field): FieldMask => [field, "null"]);
  const one = fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...fitting) }, fc.constantFrom(...nulls));
  return fc.uniqueArray(one, { selector: ([field]) => field, maxLength: 6 });
}

/** A grant of a resource, and masks of which some may not be granted. */
type DrawnGrant = { readonly grant: ResourceGrant; readonly masked: readonly FieldMask[] };

const resourceGrant = (name: ResourceName): fc.Arbitrary<DrawnGrant> =>
  fc
    .record({
      fields: fc.oneof(
        fc.constant("*" as const),
        fc.subarray([...universeSet(name).type.properties.keys()], { minLength: 1 }),
      ),
      policies: fc.subarray([...policies[name]]),
      masked: fc.oneof(fc.constant([]), fieldMasks(name)),
    })
    .map(({ fields, policies: granted, masked }) => ({
      grant: { fields, ...Object.fromEntries(granted.map((policy) => [policy, true as const])) },
      masked,
    }));

/** Returns the grant with those of its masks whose fields it grants. */
function withMasks(
  name: ResourceName,
  { grant, masked }: DrawnGrant,
  granted: readonly string[],
): ResourceGrant {
  const own = masked.filter(([field]) => isGranted(field, name, grant, granted));
  return own.length === 0 ? grant : { ...grant, masks: Object.fromEntries(own) };
}

/** Usually a value, because without a grant there is little to query. */
const mostly = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { freq: 5, nil: undefined });

/** @param granted all datasets of the entitlement */
const datasetGrant = (dataset_id: string, granted: readonly string[]): fc.Arbitrary<DatasetGrant> =>
  fc
    .tuple(
      ...recordNames.map((name) =>
        mostly(resourceGrant(name).map((drawn) => [name, withMasks(name, drawn, granted)] as const)),
      ),
    )
    .map((resources) => resources.filter((one) => one !== undefined))
    .filter(({ length }) => length > 0)
    .map((resources) => ({ dataset_id, resources: Object.fromEntries(resources) }));

export const grants: fc.Arbitrary<Grants> = fc.record({
  regions: fc.oneof(
    fc.constant(regions.slice(0, 1)),
    fc.subarray(regions.slice(1), { minLength: 1, maxLength: 3 }),
  ),
  datasets: fc
    .oneof(
      { weight: 3, arbitrary: fc.subarray([...datasets], { minLength: 2 }) },
      fc.subarray([...datasets], { minLength: 1 }),
    )
    .chain((granted) => fc.tuple(...granted.map((id) => datasetGrant(id, granted)))),
});

/** All rows and fields. */
const wide: Grants = {
  regions: [{ kind: "national", value: "US" }],
  datasets: datasets.map((dataset_id) => ({
    dataset_id,
    resources: Object.fromEntries(recordNames.map((name) => [name, { fields: "*" as const }])),
  })),
};

/** All rows and fields, with a mask on each field that has one: what a filter finds differs from what the record says. */
export const masking: Grants = {
  ...wide,
  datasets: datasets.map((dataset_id) => ({
    dataset_id,
    resources: Object.fromEntries(
      recordNames.map((name) => {
        const masked = Object.entries(masks[name]).map(([field, [mask]]): FieldMask => [field, mask as Mask]);
        const granted = Object.fromEntries(policies[name].map((policy) => [policy, true as const]));
        return [name, withMasks(name, { grant: { fields: "*", ...granted }, masked }, datasets)];
      }),
    ),
  })),
};

/** All rows and fields, with masks or without, or some. */
export const anyGrants: fc.Arbitrary<Grants> = fc.oneof(fc.constant(wide), fc.constant(masking), {
  weight: 2,
  arbitrary: grants,
});
