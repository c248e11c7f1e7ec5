import type { DatasetGrant } from "@cadastre/entitlement";
import fc from "fast-check";
import type { Grants, World } from "./projection.ts";
import { type Request, requests } from "./requests.ts";
import type { GrantsOfAll } from "./side.ts";
import { datasets, type ResourceName, regions, resourceNames, universeSet } from "./universe.ts";
import { worlds } from "./worlds.ts";

const resourceGrant = (name: ResourceName) =>
  fc
    .oneof(
      fc.constant("*" as const),
      fc.subarray([...universeSet(name).type.properties.keys()], { minLength: 1 }),
    )
    .map((fields) => ({ fields }));

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
