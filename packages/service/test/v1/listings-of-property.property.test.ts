import type { Entitlement } from "@cadastre/entitlement";
import type { StoredRecord } from "@cadastre/store";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Collection, query } from "../support/ask.ts";
import { errorBody } from "../support/error-body.ts";
import { removalsOf } from "../support/removals.ts";
import {
  absentProvisional,
  everything,
  granting,
  hillcountry,
  house,
  listing,
  lonestar,
  type PropertyService,
  provisional,
  startPropertyService,
  tower,
} from "./property-service.ts";

/** `CASES=500` for more, `SEED=1` for the same ones again. */
const { CASES, SEED } = process.env;
const parametersOf = (numRuns: number) => ({
  numRuns: Number(CASES ?? numRuns),
  ...(SEED === undefined ? {} : { seed: Number(SEED) }),
});
const timeout = 60_000 + Number(CASES ?? 0) * 2000;

const third = house.replace("222-222", "22b-222");
const [one, other] = [lonestar.datasetId, hillcountry.datasetId];

const placed = ["StreetNumber", "StreetDirPrefix", "StreetName", "StreetSuffix", "StreetDirSuffix"];
const address = [...placed, "UnitNumber", "City", "StateOrProvince", "PostalCode"];
const plain = ["ListingKey", "StandardStatus"];

/** Who asks: each sees other parts of what tells a listing's property. */
const customers: Readonly<Record<string, Partial<Entitlement>>> = {
  whole: everything,
  texas: { ...everything, regions: [{ kind: "state", value: "TX" }] },
  one: granting({ [one]: { fields: "*" } }),
  coarse: granting({ [one]: { fields: "*", masks: { Latitude: "round1", Longitude: "round1" } } }),
  maskedKey: granting({ [one]: { fields: "*", masks: { Placekey: "null" } }, [other]: { fields: "*" } }),
  prefixedKey: granting({
    [one]: { fields: "*", masks: { Placekey: "prefix7" } },
    [other]: { fields: "*", masks: { Placekey: "prefix32" } },
  }),
  maskedZip: granting({ [one]: { fields: "*", masks: { PostalCode: "prefix3" } }, [other]: { fields: "*" } }),
  noAddress: granting({ [one]: { fields: [...plain, "Placekey", "Latitude", "Longitude"] } }),
  noKey: granting({ [one]: { fields: [...plain, ...address, "Latitude", "Longitude"] } }),
};

let service: PropertyService;
beforeAll(async () => {
  service = await startPropertyService(customers);
});
afterAll(() => service.stop());

type Listed = {
  readonly placekey: string | undefined;
  readonly number: string;
  readonly state: string;
  readonly status: string;
  readonly isOther: boolean;
  readonly month: number;
};

const listed: fc.Arbitrary<Listed> = fc.record({
  placekey: fc.constantFrom(undefined, undefined, house, tower, third),
  number: fc.constantFrom("12", "14", "16"),
  state: fc.constantFrom("TX", "TX", "OR"),
  status: fc.constantFrom("Active", "Closed"),
  isOther: fc.boolean(),
  month: fc.integer({ min: 1, max: 9 }),
});

const recordOf = ({ placekey, number, state, status, isOther, month }: Listed, i: number): StoredRecord =>
  listing(
    `k${i}`,
    {
      ...(placekey === undefined ? {} : { Placekey: placekey }),
      StreetNumber: number,
      StateOrProvince: state,
      StandardStatus: status,
      ModificationTimestamp: `2025-0${month}-01T00:00:00.000Z`,
    },
    isOther ? hillcountry : lonestar,
  );

/** A listing that has got another Placekey than the one that its address was resolved to. */
const settled: Listed = {
  placekey: tower,
  number: "12",
  state: "TX",
  status: "Active",
  isOther: false,
  month: 1,
};

const unplaced: Listed = { ...settled, placekey: undefined };

/** Provisional ids of every address there is. */
const provisionals = ["12", "14", "16"].flatMap((StreetNumber) =>
  ["TX", "OR"].map((StateOrProvince) => provisional(listing("k", { StreetNumber, StateOrProvince }))),
);
const placekeys = [house, tower, third];
const ids = [...provisionals, ...placekeys];

const resolutions = fc.array(
  fc.record({ id: fc.constantFrom(...ids), placekey: fc.constantFrom(...placekeys) }),
  { maxLength: 5 },
);

let keys: readonly string[] = [];

/** Makes this all that there is. */
async function fill(world: readonly StoredRecord[], resolved: readonly { id: string; placekey: string }[]) {
  const { store, registry } = service;
  await store.commit([...keys.flatMap((key) => removalsOf("Property", key)), ...world]);
  keys = world.map((_, i) => `k${i}`);
  for (const id of ids) await registry.identities.release(id);
  for (const { id, placekey } of resolved)
    await registry.identities.resolve(id, placekey, 0).catch((error: { code?: string }) => {
      if (error.code !== "identity_circle") throw error;
    });
}

async function read<Body>(target: string, customer: string): Promise<Body | undefined> {
  const { status, text } = await service.get(target, customer);
  if (status === 404) return undefined;
  expect([target, customer, status, text.slice(0, 300)]).toEqual([target, customer, 200, expect.any(String)]);
  return JSON.parse(text) as Body;
}

type Property = {
  readonly data: { readonly id: string; readonly attributes: { readonly listing_keys: readonly string[] } };
};

const property = (id: string, customer: string) =>
  read<Property>(`/v1/properties/${encodeURIComponent(id)}`, customer);

const root = "/reso/odata/Property";
const keysIn = (page: Collection | undefined) =>
  (page?.value ?? []).map(({ ListingKey }) => String(ListingKey));

/** The listings at a Placekey, page by page. */
async function walked(target: string, customer: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (let next: string | undefined = target; next !== undefined; ) {
    const page: Collection | undefined = await read<Collection>(next, customer);
    found.push(...keysIn(page));
    const link: string | undefined = page?.["@odata.nextLink"];
    next = link?.replace(/^https?:\/\/[^/]*/, "");
  }
  return found;
}

test(
  "`placekey` finds the listings that the canonical property is made of, whoever asks",
  async () => {
    const nonEmpty = { merged: 0, moved: 0 };
    await fc.assert(
      fc.asyncProperty(fc.array(listed, { maxLength: 7 }), resolutions, async (world, resolved) => {
        await fill(world.map(recordOf), resolved);
        for (const customer of Object.keys(customers).filter((name) => name !== "noKey"))
          for (const placekey of placekeys) {
            const found = await property(placekey, customer);
            const wanted = found?.data.attributes.listing_keys.toSorted() ?? [];
            if (wanted.some((key) => world[Number(key.slice(1))]?.placekey === undefined)) nonEmpty.merged++;
            if (found !== undefined && found.data.id !== placekey) nonEmpty.moved++;
            const $select = "ListingKey";
            const all = await read<Collection>(
              root + query({ placekey, $select, $orderby: "ListingKey", $count: true }),
              customer,
            );
            expect([customer, placekey, keysIn(all), all?.["@odata.count"]]).toEqual([
              customer,
              placekey,
              wanted,
              wanted.length,
            ]);
          }
      }),
      {
        ...parametersOf(10),
        examples: [
          [[settled], [{ id: provisional(recordOf(settled, 0)), placekey: house }]],
          [[unplaced], [{ id: provisional(recordOf(unplaced, 0)), placekey: house }]],
          [[settled], [{ id: house, placekey: tower }]],
        ],
      },
    );
    // The cases are not all trivial: the examples see to that, whatever the seed.
    expect(Math.min(...Object.values(nonEmpty))).toBeGreaterThan(0);
  },
  timeout,
);

test(
  "it composes with the other options, with paging and with the count",
  async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(listed, { minLength: 3, maxLength: 9 }),
        resolutions,
        async (world, resolved) => {
          await fill(world.map(recordOf), resolved);
          for (const customer of ["whole", "texas"])
            for (const placekey of placekeys) {
              const wanted = (await property(placekey, customer))?.data.attributes.listing_keys ?? [];
              const active = wanted.filter((key) => world[Number(key.slice(1))]?.status === "Active");
              const $filter = "StandardStatus eq 'Active'";
              const options = { placekey, $select: "ListingKey,City", $filter };
              const descending = { ...options, $orderby: "ListingKey desc", $top: 1 };
              expect(await walked(root + query(descending), customer)).toEqual(
                active.toSorted().toReversed(),
              );
              const pages = { ...options, $orderby: "ModificationTimestamp desc" };
              const paged = await service.get(root + query(pages), customer, { prefer: "maxpagesize=1" });
              const [first, next] = [
                JSON.parse(paged.text) as Collection,
                (JSON.parse(paged.text) as Collection)["@odata.nextLink"],
              ];
              const rest =
                next === undefined ? [] : await walked(next.replace(/^https?:\/\/[^/]*/, ""), customer);
              expect([...keysIn(first), ...rest].toSorted()).toEqual(active.toSorted());
              const { text } = await service.get(`${root}/$count${query({ placekey, $filter })}`, customer);
              expect(text).toBe(String(active.length));
            }
        },
      ),
      parametersOf(5),
    );
  },
  timeout,
);

test(
  "a listing leads to its property's id, and that back to the listing",
  async () => {
    const ends = { none: 0, placekey: 0, provisional: 0 };
    await fc.assert(
      fc.asyncProperty(fc.array(listed, { maxLength: 6 }), resolutions, async (world, resolved) => {
        await fill(world.map(recordOf), resolved);
        for (const customer of Object.keys(customers))
          for (const key of [...keys, "absent"]) {
            const told = await read<{ readonly data: object; readonly meta: object }>(
              `/v1/listings/${key}`,
              customer,
            );
            const isSeen = (await service.get(`${root}('${key}')`, customer)).status === 200;
            expect([customer, key, told !== undefined]).toEqual([customer, key, isSeen]);
            if (told === undefined) continue;
            const { property_id: id } = told.data as { readonly property_id: string | null };
            expect(told).toEqual({
              data: { listing_key: key, property_id: id },
              meta: { entitlement_version: 7 },
            });
            if (id === null) ends.none++;
            else {
              ends[id.startsWith("prov:") ? "provisional" : "placekey"]++;
              const found = await property(id, customer);
              expect([customer, key, found?.data.id]).toEqual([customer, key, id]);
              expect(found?.data.attributes.listing_keys).toContain(key);
            }
          }
      }),
      { ...parametersOf(8), examples: [[[settled, unplaced], []]] },
    );
    expect(Math.min(...Object.values(ends))).toBeGreaterThan(0);
  },
  timeout,
);

test.each([
  ["", 400, "invalid_listing_key"],
  ["%zz", 400, "invalid_listing_key"],
  ["%00", 400, "invalid_listing_key"],
  ["a".repeat(257), 400, "invalid_listing_key"],
  ["absent", 404, "not_found"],
  ["absent/", 404, "not_found"],
  ["absent?x=1", 400, "unknown_parameter"],
  [absentProvisional, 404, "not_found"],
])("the listing `%s` is %i %s", async (key, status, error) => {
  const reply = await service.get(`/v1/listings/${key}`);
  expect([reply.status, JSON.parse(reply.text)]).toEqual([status, errorBody(error)]);
});

test("a listing whose Placekey is written as none has no property that answers", async () => {
  await fill([listing("k0", { Placekey: "?@???-???-???" })], []);
  expect(await read("/v1/listings/k0", "whole")).toMatchObject({ data: { property_id: null } });
});
