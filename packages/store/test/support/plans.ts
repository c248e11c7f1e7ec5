import { restrict, visibleEntitySet } from "@cadastre/entitlement";
import { bindQuery, parseFilter, parseOrderBy } from "@cadastre/odata";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Bookmark, StoredRecord, StoredResource, WritableStore } from "../../src/index.ts";
import { entitySetOf, property } from "../../src/testing/entity-sets.ts";
import { grantsOf } from "../../src/testing/grants.ts";
import type { Harness } from "../conformance/harness.ts";
import { oregon, texas } from "./listings.ts";

const money = { precision: 14, scale: 2 };
const properties = [
  property("ListingKey", "Edm.String", { nullable: false }),
  property("ModificationTimestamp", "Edm.DateTimeOffset", { nullable: false }),
  property("OriginatingSystemName"),
  property("ListingId"),
  property("UniversalPropertyId"),
  property("Placekey"),
  property("StateOrProvince"),
  property("StandardStatus"),
  property("ListPrice", "Edm.Decimal", money),
  property("City"),
  property("Coordinates", "Edm.GeographyPoint"),
  property("CloseDate", "Edm.Date"),
];

const entitySet = entitySetOf("Listing", properties);

/** Indexed like the listings of the service, for its most frequent lookups. */
const resource: StoredResource = {
  entitySet,
  columns: properties.map(({ name }) => name),
  indexes: [
    ["OriginatingSystemName", "ListingId"],
    ["UniversalPropertyId"],
    ["Placekey"],
    ["ModificationTimestamp", "ListingKey"],
    ["StandardStatus", "ListPrice"],
    ["StateOrProvince"],
    ["CloseDate", "ListingKey"],
  ],
  points: ["Coordinates"],
  folded: [["City"]],
};

const all = grantsOf(entitySet, { [texas]: "*" }, { like: "Member" });

/** Scopes with regions. The second one has datasets that show different fields. */
const narrow = {
  "a state of a dataset": grantsOf(
    entitySet,
    { [texas]: "*" },
    { like: "Property", regions: [{ kind: "state", value: "TX" }] },
  ),
  "states of two datasets": grantsOf(
    entitySet,
    {
      [texas]: "*",
      [oregon]: properties
        .map(({ name }) => name)
        .filter((name) => !["CloseDate", "UniversalPropertyId"].includes(name)),
    },
    {
      like: "Property",
      regions: [
        { kind: "state", value: "TX" },
        { kind: "state", value: "OR" },
      ],
    },
  ),
} as const;

type Asked = {
  readonly filter?: string;
  readonly orderBy?: string;
  readonly top?: number;
  readonly ignoreCase?: boolean;
};

const ask = ({ filter, orderBy, top = 100, ignoreCase = false }: Asked, scope = all) => {
  const parts = {
    top,
    filter: filter === undefined ? undefined : parseFilter(filter),
    orderBy: orderBy === undefined ? undefined : parseOrderBy(orderBy),
  };
  const visible = visibleEntitySet(entitySet, scope);
  return restrict(bindQuery(parts, visible, ["ModificationTimestamp"], { ignoreCase }), scope);
};

const size = 5000;
const statuses = ["Active", "Closed", "Pending", "Expired", "Withdrawn"];
const records: readonly StoredRecord[] = Array.from({ length: size }, (_, i) => ({
  resource: "Listing",
  datasetId: texas,
  record: {
    ListingKey: `k${i}`,
    ModificationTimestamp: new Date(Date.UTC(2024, 0, 1) + (i % 4000) * 60_000).toISOString(),
    OriginatingSystemName: `System ${i % 3}`,
    ListingId: `L${i}`,
    UniversalPropertyId: `US-${i}`,
    Placekey: `223-227@5vg-${i}`,
    StateOrProvince: "TX",
    StandardStatus: statuses[i % statuses.length],
    ListPrice: 100_000 + i * 100,
    City: `City ${i % 1000}`,
    Coordinates: i % 10 === 0 ? null : { type: "Point", coordinates: [-100 + (i % 71) / 7, 30 + i / 1000] },
    CloseDate: i % 3 === 0 ? null : `2024-0${1 + (i % 8)}-01`,
  },
}));

/** Lookups with the index that serves them; null for the index of the key. */
const typical: readonly (readonly [Asked, string | null])[] = [
  [{ filter: "ListingKey eq 'k7'" }, null],
  [
    { filter: "OriginatingSystemName eq 'System 1' and ListingId eq 'L7'" },
    "Listing_OriginatingSystemName_ListingId",
  ],
  [{ filter: "UniversalPropertyId eq 'US-7'" }, "Listing_UniversalPropertyId"],
  [{ filter: "Placekey eq '223-227@5vg-7'" }, "Listing_Placekey"],
  [
    { filter: "Placekey in ('223-227@5vg-7','223-227@5vg-8') or UniversalPropertyId in ('US-7','US-9')" },
    "Listing_Placekey",
  ],
  [
    {
      filter:
        "Placekey eq '223-227@5vg-7' or (not matchesPattern(Placekey,'^@') and UniversalPropertyId in ('US-7','US-9'))",
    },
    "Listing_Placekey",
  ],
  [{ filter: "StandardStatus eq 'Active' and ListPrice ge 590000" }, "Listing_StandardStatus_ListPrice"],
];

const here = "geo.distance(Coordinates,geography'Point(-97.74 30.27)')";

/** Patterns for the query plans of a database. */
export type PlanWords = {
  readonly byKey: RegExp;
  readonly by: (index: string) => RegExp;
  readonly byPlace: (index: string) => RegExp;
  readonly scan: RegExp;
  readonly sort: RegExp;
  /** Matches a scan of a whole table, or a sort of more than the rows with one value. */
  readonly whole: RegExp;
};

/** Tests that the most frequent lookups of the service use an index. */
export function plans(name: string, harness: Harness, words: PlanWords): void {
  describe(`plans of ${name}`, () => {
    let store: WritableStore;
    let unchanged: WritableStore;
    beforeAll(async () => {
      store = await harness.open("plans", { resources: [resource] });
      unchanged = await harness.open("plans_unchanged", { resources: [resource] });
      for (const one of [store, unchanged]) await one.commit(records);
    });
    afterAll(() => Promise.all([store.close(), unchanged.close()]));

    test.each(typical)("%j is found by its index", async (asked, index) => {
      const plan = (await store.explain(ask(asked))).join("\n");
      expect(plan).toMatch(index === null ? words.byKey : words.by(index));
    });

    describe.each(Object.entries(narrow))("within %s", (_, scope) => {
      test.each<[Asked, RegExp]>([
        ...typical.map(([asked, index]): [Asked, RegExp] => [
          asked,
          index === null ? words.byKey : words.by(index),
        ]),
        [{ orderBy: "ListingKey" }, words.byKey],
        [
          {
            filter: "StandardStatus in ('Active','Closed') and ListPrice ge 590000",
            orderBy: "ListingKey",
          },
          words.by("Listing_StandardStatus_ListPrice"),
        ],
        [{}, words.by("Listing_ModificationTimestamp_ListingKey")],
        [
          { filter: "ModificationTimestamp gt 2024-01-03T00:00:00Z", orderBy: "ModificationTimestamp" },
          words.by("Listing_ModificationTimestamp_ListingKey"),
        ],
        [{ filter: `${here} le 5000` }, words.byPlace("Listing_Coordinates_place")],
        [
          { filter: "City eq 'CITY 7'", orderBy: "ListingKey", ignoreCase: true },
          words.by("Listing_City_folded"),
        ],
      ])("%j is found by its index", async (asked, expected) => {
        const plan = (await store.explain(ask(asked, scope))).join("\n");
        expect(plan).toMatch(expected);
        expect(plan).not.toMatch(words.scan);
      });
    });

    const inOrder = words.by("Listing_ModificationTimestamp_ListingKey");

    test("the order of modification reads by its index and sorts nothing", async () => {
      const plan = (await store.explain(ask({}))).join("\n");
      expect(plan).toMatch(inOrder);
      expect(plan).not.toMatch(words.sort);
    });

    test("so does its next page, but for what was closed meanwhile", async () => {
      const query = ask({});
      const { next } = await store.page(query);
      const changed = records
        .slice(0, 50)
        .map((one) => ({ ...one, record: { ...one.record, ListPrice: 1 } }));
      await store.commit(changed);
      const plan = (await store.explain(query, { from: next ?? undefined })).join("\n");
      expect(plan).toMatch(inOrder);
      expect((await store.page(query, { from: next ?? undefined })).length).toBe(100);
    });

    const byPlace = words.byPlace("Listing_Coordinates_place");

    test.each<Asked>([
      { filter: `${here} le 5000` },
      { filter: `5000 ge ${here} and StandardStatus eq 'Active'` },
      { filter: `${here} lt 5000`, orderBy: "ListPrice" },
      {
        filter:
          "geo.intersects(Coordinates,geography'Polygon((-97.8 30.2,-97.7 30.2,-97.7 30.3,-97.8 30.3,-97.8 30.2))')",
      },
      { filter: `${here} eq null`, orderBy: "ListingId" },
    ])("%j is found by its place", async (asked) => {
      const plan = (await store.explain(ask(asked))).join("\n");
      expect(plan).toMatch(byPlace);
      expect(plan).not.toMatch(words.scan);
    });

    test("from the nearest on every phase but the last is found by its place", async () => {
      const query = ask({ orderBy: here, top: 20 });
      const plan = (await store.explain(query)).join("\n");
      // The phases with an index: rows without a position, and all rings except the last, which is unbounded.
      expect(plan.match(new RegExp(byPlace, "g"))?.length).toBeGreaterThanOrEqual(15);
      expect(plan.match(new RegExp(words.scan, "g"))).toHaveLength(1);
    });

    test.each<[string]>([
      ["City eq 'CITY 7'"],
      ["City in ('CITY 7','city 8')"],
      ["startswith(City,'CITY 77')"],
    ])("%s without regard to case is found by its index", async (filter) => {
      const plan = (await store.explain(ask({ filter, orderBy: "ListingKey", ignoreCase: true }))).join("\n");
      expect(plan).toMatch(words.by("Listing_City_folded"));
    });

    test.each([
      ["CloseDate", 3],
      ["CloseDate", 25],
      ["CloseDate desc", 3],
      ["CloseDate desc", 45],
      ["CloseDate desc,ListingKey desc", 25],
      ["CloseDate desc,ListingKey desc", 45],
      ["CloseDate,ListingKey desc", 3],
      ["CloseDate,ListingKey desc", 25],
    ])("by %s, page %i starts where the page before ended, in one index", async (orderBy, number) => {
      const query = ask({ orderBy });
      let from: Bookmark | undefined;
      for (let page = 1; page < number; page++)
        from = (await unchanged.page(query, { from })).next ?? undefined;
      const plan = (await unchanged.explain(query, { from })).join("\n");
      expect(plan).toMatch(words.by("Listing_CloseDate_ListingKey"));
      expect(plan).not.toMatch(words.whole);
    });

    test("status in the order of price reads by its index", async () => {
      const plan = (
        await store.explain(ask({ filter: "StandardStatus eq 'Active'", orderBy: "ListPrice" }))
      ).join("\n");
      expect(plan).toMatch(words.by("Listing_StandardStatus_ListPrice"));
    });
  });
}
