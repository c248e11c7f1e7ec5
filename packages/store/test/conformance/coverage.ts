import { type Region, type Scope, visibleEntitySet } from "@cadastre/entitlement";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Change, RegionValues, WritableStore } from "../../src/index.ts";
import type { DatasetGrants } from "../../src/testing/grants.ts";
import {
  askScope,
  counted,
  covered,
  datasetOf,
  grants,
  listing,
  places,
  regions,
  scopeIn,
  systems,
} from "../support/covered.ts";
import { ask, listings, texas } from "../support/listings.ts";
import { type Harness, type Json, withEmpty } from "./harness.ts";

const resource = "Property";
const resources = [covered];

/** How a query says that a field is neither null nor empty. */
const populated: Readonly<Record<string, string>> = {
  City: "City ne null and City ne ''",
  BedroomsTotal: "BedroomsTotal ne null",
  Appliances: "Appliances/any()",
  CloseDate: "CloseDate ne null",
};

/** Of a market, by system and field: how many records there are, and how many with a value. */
type Counts = Readonly<Record<string, readonly [records: number, populated: number]>>;

const isWhole = (grant: DatasetGrants[string], field: string): boolean => {
  const { fields, masks = {} } = typeof grant === "object" && "fields" in grant ? grant : { fields: grant };
  return (fields === "*" || fields.includes(field)) && masks[field] === undefined;
};

/** How a query says that a record lies in a place; of columns that it cannot name, that none does. */
const liesIn = (place: RegionValues, scope: Scope): string =>
  Object.entries(place)
    .map(([column, value]) => {
      if (!visibleEntitySet(listings, scope).type.properties.has(column)) return "false";
      return column === "PostalCode" ? `startswith(${column},'${value}')` : `${column} eq '${value}'`;
    })
    .join(" and ") || "true";

/** The places that a kind of region is told by, from the greatest on. */
const placesOf: Readonly<Record<Region["kind"], number>> = {
  national: 0,
  originating_system: 0,
  state: 1,
  county: 2,
  zip: 3,
};

/** How many places a grant shows whole, from the greatest on. */
function placesShown(grant: DatasetGrants[string]): number {
  const hidden = counted.places.findIndex(({ column }) => !isWhole(grant, column));
  return hidden === -1 ? counted.places.length : hidden;
}

/**
 * As the store's queries count it, for each dataset that shows the field whole: the records of places and regions that are told by
 * what the dataset shows of places, from the greatest on.
 */
async function queried(
  store: WritableStore,
  place: RegionValues,
  granted: DatasetGrants,
  within: readonly Region[],
): Promise<Counts> {
  const counts: Record<string, [number, number]> = {};
  for (const [field, condition] of Object.entries(populated))
    for (const [dataset, grant] of Object.entries(granted)) {
      if (!isWhole(grant, field)) continue;
      const scope = scopeIn({ [dataset]: grant }, within);
      const depth = placesShown(grant);
      const told = counted.places.slice(0, depth).map(({ column }) => column);
      const isTold = Object.keys(place).every((column) => told.includes(column));
      const regionsTold = isTold ? within.filter(({ kind }) => placesOf[kind] <= depth) : [];
      const toldScope = scopeIn({ [dataset]: grant }, regionsTold);
      for (const system of systems) {
        const isOf = `${liesIn(place, scope)} and OriginatingSystemName eq ${system === null ? "null" : `'${system}'`}`;
        if ((await store.count(askScope(scope, isOf))) === 0) continue;
        const records = await store.count(askScope(toldScope, isOf));
        const some = await store.count(askScope(toldScope, `${isOf} and ${condition}`));
        const before = counts[`${system} ${field}`] ?? [0, 0];
        counts[`${system} ${field}`] = [before[0] + records, before[1] + some];
      }
    }
  return counts;
}

/** As the coverage of the serving build says it, all sources together. */
async function kept(
  store: WritableStore,
  place: RegionValues,
  granted: DatasetGrants,
  within: readonly Region[],
): Promise<Counts> {
  const coverage = await store.coverage(resource, 1);
  const counts: Record<string, [number, number]> = {};
  for (const { system, fields } of coverage?.within(askScope(scopeIn(granted, within))).count(place) ?? [])
    for (const { property, records, populated: some } of fields) {
      if (populated[property.name] === undefined) continue;
      const before = counts[`${system} ${property.name}`] ?? [0, 0];
      counts[`${system} ${property.name}`] = [before[0] + records, before[1] + some];
    }
  return counts;
}

const change: fc.Arbitrary<Change> = fc.oneof(
  { weight: 4, arbitrary: listing },
  {
    weight: 1,
    arbitrary: fc
      .nat({ max: 11 })
      .map((key) => ({ resource, datasetId: datasetOf(key), removed: [`k${key}`] })),
  },
);
const step = fc.record({
  /** What a commit writes before the publication, and what is staged for it. */
  committed: fc.array(change, { maxLength: 4 }),
  staged: fc.array(change, { maxLength: 16 }),
  /** Which of the builds is served again then. */
  rollback: fc.option(fc.nat({ max: 3 }), { freq: 3 }),
});

/** What is kept of coverage with each build. */
export function coverage(harness: Harness): void {
  const use = (work: (store: WritableStore) => Promise<void>) => withEmpty(harness, work, { resources });

  describe("coverage", () => {
    test("is what queries count, of any market, for any scope, after publications and rollbacks", async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(step, { minLength: 1, maxLength: 3 }),
          fc.constantFrom(...grants),
          fc.constantFrom(...regions),
          fc.uniqueArray(fc.constantFrom(...places), { minLength: 3, maxLength: 3 }),
          async (steps, granted, within, some) =>
            use(async (store) => {
              const agree = async () => {
                for (const place of some)
                  expect([place, await kept(store, place, granted, within)]).toEqual([
                    place,
                    await queried(store, place, granted, within),
                  ]);
              };
              for (const [i, { committed, staged, rollback }] of steps.entries()) {
                await store.commit(committed);
                await store.builds.stage(resource, "mls", staged, { cursor: String(i) });
                await store.builds.publish([resource]);
                await agree();
                const build = rollback === null ? undefined : (await store.builds.list(resource))[rollback];
                if (build === undefined) continue;
                await store.builds.rollback(resource, build.id);
                await agree();
              }
            }),
        ),
        { numRuns: Number(process.env["CASES"] ?? 1) },
      );
    }, 120_000);

    const bend = (key: string, values: Json): Change => ({
      resource,
      datasetId: texas,
      record: { ListingKey: key, ModificationTimestamp: "2024-05-01T10:00:00.000Z", City: "Bend", ...values },
    });
    const national = [{ kind: "national", value: "US" }] as const;
    const cityOf = async (store: WritableStore, least = 1) => {
      const kept = await store.coverage(resource, least);
      const [market] = kept?.within(askScope(scopeIn({ [texas]: "*" }, national))).count({}) ?? [];
      const city = market?.fields.find(({ property }) => property.name === "City");
      return city && [city.records, city.populated];
    };

    test("is of the serving build, and the same object while that is served", () =>
      use(async (store) => {
        await store.commit([bend("a", {})]);
        expect(await store.coverage(resource, 1)).toBeUndefined();
        await store.builds.publish([resource]);
        const first = await store.coverage(resource, 1);
        await store.commit([bend("b", { City: "" })]);
        expect(await store.coverage(resource, 1)).toBe(first);
        expect(await cityOf(store)).toEqual([1, 1]);
        await store.builds.publish([resource], () => ({ passed: false, evidence: null }));
        expect(await cityOf(store)).toEqual([1, 1]);
        await store.builds.publish([resource]);
        expect(await store.coverage(resource, 1)).not.toBe(first);
        expect(await cityOf(store)).toEqual([2, 1]);
        expect(await cityOf(store, 3)).toEqual([0, 0]);
      }));

    test("does not tell of a county that is hidden by whether listings of one are enough", async () => {
      const answers: unknown[] = [];
      for (const county of ["Travis", "Bend"])
        await use(async (store) => {
          await store.commit([
            bend("a", { PostalCode: "78701", CountyOrParish: "Travis" }),
            bend("b", { PostalCode: "78701", CountyOrParish: county }),
          ]);
          await store.builds.publish([resource]);
          const kept = await store.coverage(resource, 2);
          const scope = scopeIn({ [texas]: ["City", "StateOrProvince", "PostalCode"] }, national);
          answers.push(kept?.within(askScope(scope)).count({ PostalCode: "78701" }));
          expect(await cityOf(store, 2)).toEqual([2, 2]);
        });
      expect(answers[0]).toEqual(answers[1]);
    });

    test("is counted anew where it is counted by something else, or versions that it needs are forgotten", async () => {
      const name = `recounted_${Math.random().toString(36).slice(2)}`;
      const store = await harness.open(name, { resources });
      await store.commit([bend("a", {}), bend("b", {})]);
      await store.builds.publish([resource]);
      await store.commit([bend("a", { City: "" }), { resource, datasetId: texas, removed: ["b"] }]);
      await store.prune(Date.now() + 60_000, 0);
      await store.builds.publish([resource]);
      expect(await cityOf(store)).toEqual([1, 0]);
      await store.close();
      const other = { ...covered, counted: { system: "City", places: [] } };
      const again = await harness.open(name, { resources: [other] });
      const systems = async () => {
        const markets = (await again.coverage(resource, 1))?.within(ask({ select: "City" })).count({});
        return markets?.map(({ system }) => system);
      };
      expect(await systems()).toEqual([""]);
      await again.builds.publish([resource]);
      expect(await systems()).toEqual([""]);
      await again.close();
    });

    test.each([
      ["City eq 'Bend'", false],
      ["City ge ''", false],
      ["BedroomsTotal ne null or true", false],
      ["PostalCode eq '78701'", false],
      ["PostalCode ge '787011'", false],
      ["PostalCode gt '78701'", false],
      ["PostalCode ge CountyOrParish", false],
      ["substring(PostalCode,1) ge '8'", false],
      ["length(PostalCode) eq 5", false],
      ["not (StateOrProvince in ('TX','OR'))", true],
      ["CountyOrParish ge 'A' and PostalCode ge '78701' and PostalCode lt '78702'", true],
    ])("is told of a filter only if it reads what records are counted by: %s, %s", (filter, isTold) =>
      use(async (store) => {
        const places = { StateOrProvince: "WA", CountyOrParish: "Travis", PostalCode: "78701-1234" };
        await store.commit([bend("a", places)]);
        await store.builds.publish([resource]);
        const kept = await store.coverage(resource, 1);
        const count = () => kept?.within(ask({ filter })).count({}).length;
        if (isTold) expect(count()).toBe(1);
        else expect(count).toThrow(expect.objectContaining({ code: "uncounted_scope" }));
      }),
    );

    test("is of a ZIP code whole, however many of its extensions there are", () =>
      use(async (store) => {
        const zips = ["78701", "78701-0001", "78701-0002"];
        const places = {
          StateOrProvince: "TX",
          CountyOrParish: "Travis",
          OriginatingSystemName: "Lone Star",
        };
        await store.commit(zips.map((PostalCode) => bend(PostalCode, { ...places, PostalCode })));
        await store.builds.publish([resource]);
        const kept = await store.coverage(resource, zips.length);
        const scope = scopeIn({ [texas]: "*" }, [{ kind: "zip", value: "78701" }]);
        const [market] = kept?.within(askScope(scope)).count({ PostalCode: "78701" }) ?? [];
        expect(market?.fields.every(({ records }) => records === zips.length)).toBe(true);
      }));

    test("is not kept of what is not to be counted", () =>
      withEmpty(harness, async (store) => {
        await store.builds.publish([resource]);
        expect(await store.coverage(resource, 1)).toBeUndefined();
        await expect(store.coverage("Nope", 1)).rejects.toMatchObject({ code: "unknown_resource" });
      }));
  });
}
