import type { DatasetGrant, Mask, ResourceGrant } from "@cadastre/entitlement";
import fc from "fast-check";
import { type Grants, isAlwaysGranted, isGranted, type World } from "./projection.ts";
import { type Request, requests } from "./requests.ts";
import type { GrantsOfAll } from "./side.ts";
import { datasets, masks, type ResourceName, regions, resourceNames, universeSet } from "./universe.ts";
import { worlds } from "./worlds.ts";

/** Masks of some fields, whether they are granted or not. */
const fieldMasks = (resource: ResourceName): fc.Arbitrary<readonly (readonly [string, Mask])[]> => {
  const all = [...universeSet(resource).type.properties.keys()];
  const special = Object.entries(masks[resource]).flatMap(([name, of]) => of.map((mask) => [name, mask]));
  const plain = all.filter((name) => !isAlwaysGranted(name, resource)).map((name) => [name, "null"]);
  const one = fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...(special as [string, Mask][])) },
    fc.constantFrom(...(plain as [string, Mask][])),
  );
  return fc.uniqueArray(one, { selector: ([name]) => name, maxLength: 6 });
};

const resourceGrant = (name: ResourceName): fc.Arbitrary<ResourceGrant> =>
  fc
    .record({
      fields: fc.oneof(
        fc.constant("*" as const),
        fc.subarray([...universeSet(name).type.properties.keys()], { minLength: 1 }),
      ),
      policies: fc.subarray([...policies[name]]),
      masked: fc.oneof(fc.constant([]), fieldMasks(name)),
    })
    .map(({ fields, policies: granted, masked }) => {
      const grant: ResourceGrant = {
        fields,
        ...Object.fromEntries(granted.map((policy) => [policy, true as const])),
      };
      const own = masked.filter(([field]) => isGranted(field, name, grant));
      return own.length === 0 ? grant : { ...grant, masks: Object.fromEntries(own) };
    });

/** What a grant of each resource may open beside its fields. */
const policies: Readonly<Record<ResourceName, readonly ("private" | "contact")[]>> = {
  Property: [],
  Media: ["private"],
  Member: ["contact"],
  Office: ["contact"],
};

/** Mostly granted, for there is little to ask for else. */
const mostly = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { freq: 5, nil: undefined });

const datasetGrant = (dataset_id: string): fc.Arbitrary<DatasetGrant> =>
  fc
    .tuple(...resourceNames.map((name) => mostly(resourceGrant(name).map((grant) => [name, grant] as const))))
    .map((granted) => granted.filter((one) => one !== undefined))
    .filter(({ length }) => length > 0)
    .map((granted) => ({ dataset_id, resources: Object.fromEntries(granted) }));

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
    .chain((granted) => fc.tuple(...granted.map(datasetGrant))),
});

/** Two stores that look alike to `one`, and what he and another customer ask of them. */
export type Case = {
  readonly grants: GrantsOfAll;
  readonly world: World;
  /** What the second store holds of what `one` may not see. */
  readonly donor: World;
  /** How many commits the second store has more. */
  readonly lead: number;
  /** What the second store holds of it from the second page on; null: the same. */
  readonly later: World | null;
  readonly requests: readonly Request[];
};

export const cases: fc.Arbitrary<Case> = fc.record({
  grants: fc.record({ one: grants, other: grants }),
  world: worlds,
  donor: worlds,
  lead: fc.constantFrom(0, 0, 1, 3),
  later: fc.option(worlds, { freq: 2, nil: null }),
  requests: fc.array(requests, { minLength: 1, maxLength: 16, size: "max" }),
});
