import { datasetProperty } from "@cadastre/entitlement";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Bookmark, StoredRecord, StoredResource, WritableStore } from "../../src/index.ts";
import { type Harness, keysOf } from "../conformance/harness.ts";
import { type Asked, ask, oregon, scopeOf, stored, texas } from "./listings.ts";

const resource: StoredResource = {
  ...stored,
  indexes: [
    ["ModificationTimestamp", "ListingKey"],
    ["ListingKey"],
    ["City", "ListPrice"],
    ["ListPrice", "ListingKey"],
  ].map((columns) => [datasetProperty.name, ...columns]),
  texts: ["City"],
};

const nevada = "c41d8a92-7e36-4b8f-9d04-1a5b60e2f732";
const [granted, size, times] = [[texas, oregon], 400, 10];

/** Each granted record is followed by hidden ones of the same values, of a dataset that is not granted. */
function* records(hidden: number): Generator<StoredRecord> {
  for (let i = 0; i < size; i++)
    for (let copy = 0; copy <= hidden; copy++)
      yield {
        resource: "Property",
        datasetId: copy === 0 ? (granted[i % 2] ?? null) : nevada,
        record: {
          ListingKey: `k${String((i * 37) % size).padStart(3, "0")}-${copy}`,
          ModificationTimestamp: new Date(Date.UTC(2024, 0, 1 + (i % 30))).toISOString(),
          StateOrProvince: "TX",
          City: ["Austin", "Bend", "Reno", null][i % 4],
          ListPrice: i % 5 === 0 ? null : 100_000 + (i % 90) * 1000,
          YearBuilt: 1900 + (i % 100),
        },
      };
}

const queries: readonly Asked[] = [
  { orderBy: "ModificationTimestamp" },
  { orderBy: "ListingKey desc" },
  { orderBy: "ListPrice" },
  { orderBy: "ListPrice desc" },
  { orderBy: "ListPrice desc,ListingKey desc" },
  { filter: "City eq 'Austin'", orderBy: "ListPrice" },
  { filter: "City in ('Austin','Reno')", orderBy: "ModificationTimestamp" },
  { filter: "ListPrice gt 150000", orderBy: "ListPrice" },
  { filter: "ModificationTimestamp gt 2024-01-20T00:00:00Z", orderBy: "ModificationTimestamp" },
  { filter: "YearBuilt eq 1950", orderBy: "ModificationTimestamp" },
  { orderBy: "YearBuilt" },
  { filter: "contains(City,'us')", orderBy: "YearBuilt desc" },
  { filter: "contains(City,'usti')", orderBy: "YearBuilt desc" },
  { filter: "tolower(City) eq 'austin'", orderBy: "YearBuilt" },
];

/**
 * The rows of datasets that are not granted are not read.
 *
 * @param reads steps of a plan that read a table or an index of it, with their conditions
 */
export function hiddenRows(
  name: string,
  harness: Harness,
  reads: (plan: readonly string[]) => readonly string[],
): void {
  describe(`hidden rows of ${name}`, () => {
    const scope = scopeOf(Object.fromEntries(granted.map((dataset) => [dataset, "*"])));
    let stores: readonly WritableStore[];
    beforeAll(async () => {
      stores = await Promise.all(
        [0, times].map((hidden) => harness.open(`hidden_${hidden}`, { resources: [resource] })),
      );
      for (const [i, store] of stores.entries()) await store.commit(records(i * times));
    });
    afterAll(() => Promise.all(stores.map((store) => store.close())));

    test.each(queries)("%j looks at granted datasets alone", async (asked) => {
      // Where no row is hidden, any index will do.
      const plan = (await stores[1]?.explain(ask(asked, scope))) ?? [];
      const steps = reads(plan);
      expect(steps, plan.join("\n")).not.toEqual([]);
      for (const step of steps) expect(step).toContain(datasetProperty.name);
    });

    test.each(queries)("%j finds the same in walks, whatever is hidden", async (asked) => {
      const found = await Promise.all(
        stores.map(async (store) => {
          const query = ask({ ...asked, top: 30 }, scope);
          const keys: unknown[] = [];
          let from: Bookmark | undefined;
          do {
            const page = await store.page(query, { from });
            keys.push(...keysOf(page));
            from = page.next ?? undefined;
          } while (from !== undefined);
          expect(await store.count(query)).toBe(keys.length);
          return keys;
        }),
      );
      expect(found[1]).toEqual(found[0]);
      expect(new Set(found[0]).size).toBe(found[0]?.length);
      expect(found[0]?.length).toBeGreaterThan(0);
    });

    test("a walk goes on where a record of either dataset has changed meanwhile", async () => {
      const query = ask({ orderBy: "ListPrice desc", top: 150 }, scope);
      for (const store of stores) {
        const before = keysOf(await store.page(ask({ orderBy: "ListPrice desc", top: 400 }, scope)));
        const first = await store.page(query);
        const changed = [...records(0)]
          .filter((_, i) => i % 7 < 2)
          .map((one) => ({ ...one, record: { ...one.record, ListPrice: 1 } }));
        await store.commit(changed);
        const second = await store.page(query, { from: first.next ?? undefined });
        expect([...keysOf(first), ...keysOf(second)]).toEqual(before.slice(0, 300));
      }
    });
  });
}
