import type { ResourceGrant } from "@cadastre/entitlement";
import fc from "fast-check";
import { crashPoints } from "../../src/build/crash-point.ts";
import type { Domain, OutputProfile } from "../../src/index.ts";
import type { Edit, Granted, SetName } from "./market.ts";

// Random histories of a subscription, for each domain.

/** Records, grants and profiles of a domain that histories draw from. */
type World = {
  readonly sets: readonly SetName[];
  readonly keys: readonly string[];
  /** States that its records are in. */
  readonly states: readonly string[];
  /** The granted fields if not all of them are. */
  readonly less: ResourceGrant["fields"];
  readonly profiles: readonly OutputProfile["fields"][];
  /** Minimum number of changes that a history begins with. */
  readonly first: number;
};

const keys = ["a", "b", "c", "d", "e", "f", "\ue000", "😀", "Z z"];
const states = ["TX", "OR", "CA"];

/** A domain of one set, with all of its columns or the city alone. */
const oneSet = (set: SetName, dataset: string): World => ({
  sets: [set],
  keys,
  states,
  less: ["City", "StateOrProvince"],
  profiles: ["*", { [dataset]: ["City"] }],
  first: 0,
});

const worlds: Readonly<Record<Domain, World>> = {
  listing: {
    sets: ["Property", "Media"],
    keys,
    states,
    less: ["City", "StateOrProvince"],
    profiles: [
      "*",
      { listing: ["City"], listing_media: "*" },
      { listing: ["City", "ListPrice", "StateOrProvince"] },
    ],
    first: 0,
  },
  property: {
    sets: ["Property"],
    keys,
    states,
    less: ["City", "Placekey", "StateOrProvince"],
    profiles: ["*", { property: ["list_price"] }],
    first: 0,
  },
  public_record: oneSet("PublicRecord", "public_record"),
  member: oneSet("Member", "member"),
  office: oneSet("Office", "office"),
  open_house: oneSet("OpenHouse", "open_house"),
  // A value of a lookup is visible with the field that has the lookup.
  lookup: {
    sets: ["Lookup"],
    keys,
    states,
    less: ["MailingCity", "LookupName", "StateOrProvince"],
    profiles: ["*", { lookup: ["LookupName"] }],
    first: 0,
  },
  // A cell of fewer than ten listings is not counted.
  market_report: {
    sets: ["Property"],
    keys: Array.from({ length: 40 }, (_, i) => `k${i}`),
    states: ["TX", "TX", "TX", "OR"],
    less: ["OnMarketDate", "PropertyType", "StateOrProvince"],
    profiles: ["*", { market_report: ["new_listings"] }],
    first: 60,
  },
};

const editOf = ({ sets, keys, states }: World): fc.Arbitrary<Edit> => {
  const values = fc.record({
    StateOrProvince: fc.constantFrom(...states),
    City: fc.constantFrom("Austin", null),
    ListPrice: fc.integer({ min: 0, max: 1 }),
    Placekey: fc.constantFrom(null, null, "222-222@8t2-fjb-26k", "z22-222@8t2-fjb-26k"),
    PropertyType: fc.constantFrom(...Array<string>(6).fill("Residential"), "Land"),
    OnMarketDate: fc.constantFrom("2024-02-10", "2024-02-20", "2024-03-10"),
    StandardStatus: fc.constantFrom("Active", "Active", "Active", "Pending"),
    ...(sets.includes("Lookup") ? { LookupName: fc.constantFrom("City", "City", "Other") } : {}),
  });
  return fc.record({
    set: fc.constantFrom(...sets),
    key: fc.constantFrom(...keys),
    values: fc.oneof({ weight: 3, arbitrary: values }, { weight: 1, arbitrary: fc.constant(undefined) }),
  });
};

const editsOf = (world: World, lengths: fc.ArrayConstraints) =>
  fc.record({ do: fc.constant("edit" as const), edits: fc.array(editOf(world), lengths) });

/** Returns the grants that a customer of a domain may have. Every history begins and ends with the first. */
export function grantsOf(domain: Domain): readonly [Granted, ...Granted[]] {
  const { less } = worlds[domain];
  const products = [domain];
  return [
    { states: ["TX", "OR"], fields: "*", products },
    { states: ["TX"], fields: "*", products },
    { states: ["TX", "OR"], fields: less, products },
    { states: ["TX", "CA"], fields: less, products },
    { states: ["CA"], fields: "*", products: [domain === "property" ? "listing" : "property"] },
  ];
}

const actionOf = (domain: Domain, world: World) =>
  fc.oneof(
    { weight: 6, arbitrary: editsOf(world, { maxLength: 15 }) },
    {
      weight: 6,
      arbitrary: fc.record({ do: fc.constant("wait" as const), hours: fc.integer({ min: 1, max: 60 }) }),
    },
    {
      weight: 5,
      arbitrary: fc.record({
        do: fc.constant("build" as const),
        crashes: fc.array(fc.record({ point: fc.constantFrom(...crashPoints), after: fc.nat(3) }), {
          maxLength: 2,
        }),
      }),
    },
    { weight: 3, arbitrary: fc.record({ do: fc.constant("follow" as const) }) },
    {
      weight: 2,
      arbitrary: fc.record({ do: fc.constant("grant" as const), to: fc.constantFrom(...grantsOf(domain)) }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ do: fc.constant("reprofile" as const), to: fc.constantFrom(...world.profiles) }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        do: fc.constant("ask" as const),
        for: fc.constantFrom("pause", "resume", "resume", "reset"),
      }),
    },
  );

/** Draws the history of a subscription of a domain, from its first records on. */
export function historyOf(domain: Domain) {
  const world = worlds[domain];
  return fc.record({
    behavior: fc.constantFrom("manifest_only", "skip"),
    first: editsOf(world, { minLength: world.first, maxLength: world.first + 15 }),
    actions: fc.array(actionOf(domain, world), { minLength: 5, maxLength: 40 }),
  });
}
