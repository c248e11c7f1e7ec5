import fc from "fast-check";
import { filtersOf, maskedFiltersOf, ordersOf, selectsOf } from "../interference/filters.ts";
import type { Grants } from "../interference/projection.ts";
import type { Texts } from "../interference/requests.ts";
import { type ResourceName, resourceNames } from "../interference/universe.ts";
import { queriedWorlds, worldSteps } from "./world-steps.ts";

/** Conditions of which most leave some records. */
const sometimes = (filters: fc.Arbitrary<string>) =>
  fc.oneof({ weight: 2, arbitrary: filters.map((filter) => `not (${filter})`) }, filters);

const optionsOf = (resource: ResourceName, more: Readonly<Record<string, fc.Arbitrary<string>>>) =>
  fc
    .record(
      { $select: selectsOf(resource), $orderby: ordersOf(resource), $ignorenulls: fc.constant("true") },
      { requiredKeys: [] },
    )
    .chain((options) => fc.record(more).map((others): Texts => ({ ...options, ...others })));

/** Items of `$expand` whose changes are tracked. Their names of fields are not replaced by those of fields that the caller sees. */
const expansions: Partial<Readonly<Record<ResourceName, readonly string[]>>> = {
  Property: [
    "Media",
    "OpenHouses",
    "ListAgent",
    "OpenHouses,Media",
    "Media($top=1)",
    "Media($orderby=Order desc,MediaKey;$top=2;$count=true)",
    "Media/$count",
    "Media($filter=Order ge 1;$select=MediaKey)",
    "Media/$ref",
    "OpenHouses($orderby=OpenHouseKey desc;$skip=1)",
    "OpenHouses($expand=Listing($expand=Media;$select=ListingKey))",
    "ListAgent($expand=Office),OpenHouses",
    "ListAgent($select=MemberKey;$expand=Office($select=OfficeKey))",
  ],
  Member: ["Office"],
  OpenHouse: ["Listing", "Listing($expand=Media,ListAgent;$select=ListingKey)"],
};

const expandOf = (resource: ResourceName): fc.Arbitrary<string | undefined> => {
  const items = expansions[resource] ?? [];
  return items.length === 0
    ? fc.constant(undefined)
    : fc.option(fc.constantFrom(...items), { nil: undefined });
};

const trackedOf = (resource: ResourceName) =>
  fc.record({
    resource: fc.constant(resource),
    options: fc.oneof(
      optionsOf(resource, {}),
      optionsOf(resource, { $filter: sometimes(filtersOf(resource)) }),
      optionsOf(resource, { $filter: sometimes(maskedFiltersOf(resource)) }),
    ),
    expand: expandOf(resource),
    aim: fc.constantFrom("seen" as const, "partial" as const),
    version: fc.constantFrom("4.0", "4.01"),
    pageSize: fc.integer({ min: 1, max: 4 }),
  });

/** Results that a client may track by delta links. */
const trackedResults = fc.oneof(
  ...(["Property", ...resourceNames] as const).map((resource) => trackedOf(resource)),
);
export type TrackedResult = typeof trackedResults extends fc.Arbitrary<infer Given> ? Given : never;

const customers = fc.constantFrom("one" as const, "other" as const);

const stepsUnder = (grants: fc.Arbitrary<Grants>) =>
  fc.oneof(
    { weight: 6, arbitrary: fc.record({ do: fc.constant("change" as const), change: worldSteps }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("return" as const), change: worldSteps }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("grant" as const), customer: customers, grants }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("prune" as const) }) },
  );

/** Histories of a store and of what two customers are granted, and the results that the customers track. */
export const historiesUnder = (grants: fc.Arbitrary<Grants>) =>
  fc.record({
    tracked: fc.record({ one: trackedResults, other: trackedResults }),
    grants: fc.record({ one: grants, other: grants }),
    world: queriedWorlds,
    /** Changes between two requests, one after the other; null: nothing changes there. */
    meanwhile: fc.array(fc.option(worldSteps, { freq: 1 }), { maxLength: 12 }),
    steps: fc.array(stepsUnder(grants), { minLength: 1, maxLength: 4 }),
  });
export type History = ReturnType<typeof historiesUnder> extends fc.Arbitrary<infer Given> ? Given : never;
