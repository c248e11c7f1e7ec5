import { restrict, type Scope, visibleEntitySet } from "@cadastre/entitlement";
import { bindQuery, parseFilter, parseSelect, type Row } from "@cadastre/odata";
import { allOf, propertyNode } from "@cadastre/odata/tree";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type ChangesRequest,
  changesBetween,
  isKeyBeyond,
  type KeyChange,
  textKeyOf,
} from "../../src/changes/index.ts";
import type { Bookmark, WritableStore } from "../../src/index.ts";
import { type ChangeOfKey, changeOf, histories, keys, recordOf } from "../support/histories.ts";
import { ask, everything, listings, oregon, records, scopeOf, texas } from "../support/listings.ts";
import { type Harness, openEmpty, rowsOf, withEmpty } from "./harness.ts";

const numRuns = Number(process.env["CASES"] ?? 6);

type Asked = { readonly filter?: string | undefined; readonly select: string };

/** Customers that see all, some values, values of one dataset, and records of one state. */
const scopes: readonly Scope[] = [
  everything,
  scopeOf({ [texas]: ["City", "PoolYN"] }),
  scopeOf({ [texas]: ["PoolYN"], [oregon]: "*" }),
  scopeOf({ [texas]: "*", [oregon]: "*" }, "TX"),
];

const selects = [
  "ListingKey",
  "ListingKey,City",
  "ListingKey,PoolYN",
  "ListingKey,City,PoolYN,StateOrProvince",
];
const filters = [undefined, "PoolYN", "City ne 'Bend'", "StateOrProvince eq 'TX' or City eq 'Austin'"];

/** Options of which all that the scope shows can be asked for. */
const queries = fc
  .record({
    scope: fc.constantFrom(...scopes),
    filter: fc.constantFrom(...filters),
    select: fc.constantFrom(...selects),
  })
  .filter(({ scope, filter = "", select }) => {
    const { properties } = visibleEntitySet(listings, scope).type;
    const named = [...`${filter} ${select}`.matchAll(/\b(?:City|PoolYN|StateOrProvince)\b/g)];
    return named.every(([name]) => properties.has(name));
  });

const requestOf = (
  { filter, select }: Asked,
  scope: Scope,
  window: Pick<ChangesRequest, "since" | "asOf">,
): ChangesRequest => {
  const parts = {
    select: parseSelect(select),
    ...(filter === undefined ? {} : { filter: parseFilter(filter) }),
  };
  const query = bindQuery({ ...parts, top: 1 }, visibleEntitySet(listings, scope));
  return { query, scope, ...window, after: null, pageSize: 3, ahead: false };
};

type Found = Map<string, Row>;

const byKey = (rows: readonly Row[]): Found => new Map(rows.map((row) => [String(row["ListingKey"]), row]));

async function all<Item>(items: AsyncIterable<Item>): Promise<readonly Item[]> {
  const found: Item[] = [];
  for await (const item of items) found.push(item);
  return found;
}

const momentOf = async (store: WritableStore, checkpoint: number) => ({
  checkpoint,
  time: (await store.committedAt(checkpoint)) ?? 0,
});

/** Reads the changes in pages of up to `top`, each record as its text and each removal as null. */
async function pagedChangesOf(
  store: WritableStore,
  { query, scope, since, asOf }: ChangesRequest,
  top: number,
): Promise<ReadonlyMap<string, string | null>> {
  const [start, end] = [await momentOf(store, since), await momentOf(store, asOf)];
  const told = new Map<string, string | null>();
  const key = textKeyOf(query.entitySet);
  const orderBy = [{ expression: propertyNode(key), direction: "asc" as const }];
  // The last commit is what the changes lead to if none is named.
  const until = asOf === (await store.checkpoint()) ? undefined : end;
  for (let after: string | undefined; ; ) {
    const beyond = after === undefined ? [] : [isKeyBeyond(key, after)];
    const asked = restrict({ ...query, filter: allOf(...beyond, query.filter), orderBy, top }, scope);
    const page = await store.changes(asked, { since: start, until, elsewhere: undefined });
    expect(page.until).toEqual(end);
    const texts = JSON.parse(`[${Buffer.from(page.records).toString()}]`) as readonly Row[];
    expect(texts).toHaveLength(page.keys.length);
    expect(page.keys.length + page.removed.length).toBeLessThanOrEqual(top);
    for (const [i, one] of page.keys.entries()) told.set(one, JSON.stringify(texts[i]));
    for (const { key: one } of page.removed) told.set(one, null);
    page.release?.();
    if (page.more === false) return told;
    after = page.more === true ? page.last : page.read;
  }
}

const changesOf = (store: WritableStore, request: ChangesRequest): Promise<readonly KeyChange[]> =>
  all(changesBetween(store, request));

/** Some records move to another state, which one scope does not show. */
const moved = ({ key, values }: ChangeOfKey): ChangeOfKey => ({
  key,
  values: values && { ...values, StateOrProvince: values["BedroomsTotal"] === 1 ? "OR" : "TX" },
});

/** Changes between two checkpoints. */
export function changes(harness: Harness): void {
  describe("changes of a query", () => {
    test("applied to the pages of a walk, they make what the query finds", async () => {
      const store = await openEmpty(harness);
      await fc.assert(
        fc.asyncProperty(
          histories,
          queries,
          fc.boolean(),
          async ({ top, changes, first }, { scope, ...asked }, ahead) => {
            await store.commit([
              ...records,
              ...keys.map((one) => ({ resource: "Property", datasetId: texas, removed: [one] })),
            ]);
            await store.commit(first.map(moved).map(changeOf));
            const query = ask({ ...asked, orderBy: "City desc", top }, scope);
            const held: Found = new Map();
            const left = [...changes];
            let since: number | undefined;
            let from: Bookmark | undefined;
            do {
              const page = await store.page(query, { from });
              since ??= page.checkpoint;
              expect(page.checkpoint).toBe(since);
              for (const [key, row] of byKey(rowsOf(page))) held.set(key, row);
              await store.commit((left.shift() ?? []).map(moved).map(changeOf));
              from = page.next ?? undefined;
            } while (from !== undefined);
            for (const made of [...left, []]) {
              const asOf = await store.checkpoint();
              const request = { ...requestOf(asked, scope, { since, asOf }), ahead };
              const found = await changesOf(store, request);
              const sorted = found.map(({ key }) => key);
              expect(sorted).toEqual([...new Set(sorted)].toSorted());
              const inPages = await pagedChangesOf(store, request, 1 + (asOf % 4));
              const expected = found.map(({ key, is }) => [
                key,
                is === undefined ? null : JSON.stringify(JSON.parse(is)),
              ]);
              expect(Object.fromEntries(inPages)).toEqual(Object.fromEntries(expected));
              const half = sorted[Math.floor(sorted.length / 2)];
              if (half !== undefined)
                expect(await changesOf(store, { ...request, after: half })).toEqual(
                  found.filter(({ key }) => key > half),
                );
              for (const { key, is } of found)
                if (is === undefined) held.delete(key);
                else held.set(key, JSON.parse(is) as Row);
              const fresh = await store.page(ask({ ...asked, top: 1000 }, scope), {
                asOf,
              });
              expect(held).toEqual(byKey(rowsOf(fresh)));
              since = asOf;
              await store.commit(made.map(moved).map(changeOf));
            }
          },
        ),
        { numRuns },
      );
      await store.close();
    });

    test("a version that changes nothing of what is shown is no change", () =>
      withEmpty(harness, async (store) => {
        const { checkpoint: since } = await store.commit([
          recordOf("a", { City: "Austin", PoolYN: true }),
          recordOf("b", { City: "Austin", PoolYN: true }),
        ]);
        const { checkpoint: asOf } = await store.commit([
          recordOf("a", { City: "Austin", PoolYN: false }),
          recordOf("b", { City: "Bend", PoolYN: true }),
        ]);
        const shown = (select: string, scope = everything) =>
          changesOf(store, requestOf({ select }, scope, { since, asOf }));
        expect(await shown("ListingKey,City")).toEqual([
          {
            key: "b",
            was: '{"ListingKey":"b","City":"Austin"}',
            is: '{"ListingKey":"b","City":"Bend"}',
          },
        ]);
        expect(await shown("ListingKey", scopeOf({ [texas]: ["City"] }))).toEqual([]);
        expect(await shown("ListingKey,PoolYN")).toHaveLength(1);
      }));

    test("a record that leaves the scope is gone, and one that comes is new", () =>
      withEmpty(harness, async (store) => {
        const { checkpoint: since } = await store.commit([
          recordOf("a", {}),
          recordOf("b", { StateOrProvince: "OR" }),
        ]);
        const { checkpoint: asOf } = await store.commit([
          recordOf("a", { StateOrProvince: "OR" }),
          recordOf("b", {}),
        ]);
        const scope = scopeOf({ [texas]: "*" }, "TX");
        expect(await changesOf(store, requestOf({ select: "ListingKey" }, scope, { since, asOf }))).toEqual([
          { key: "a", was: '{"ListingKey":"a"}', is: undefined },
          { key: "b", was: undefined, is: '{"ListingKey":"b"}' },
        ]);
      }));

    test("a commit has the time at which it was made, and none has the number of one that is not there", () =>
      withEmpty(harness, async (store) => {
        const before = Date.now();
        const { checkpoint } = await store.commit(records);
        const time = await store.committedAt(checkpoint);
        expect(time).toBeGreaterThanOrEqual(before - 1000);
        expect(time).toBeLessThanOrEqual(Date.now() + 1000);
        expect(await store.committedAt(checkpoint + 1)).toBeUndefined();
        expect(await store.committedAt(0)).toBe(0);
      }));

    test("a time has the last commit before it, and the earliest one that can be read", () =>
      withEmpty(harness, async (store) => {
        expect(await store.stateAt(Date.now() + 60_000)).toEqual({ checkpoint: 0, earliest: 0 });
        const { checkpoint } = await store.commit(records);
        const time = (await store.committedAt(checkpoint)) ?? 0;
        expect(await store.stateAt(time)).toEqual({ checkpoint, earliest: 0 });
        expect(await store.stateAt(time - 1)).toEqual({ checkpoint: 0, earliest: 0 });
        const { checkpoint: last } = await store.commit([recordOf("a", {})]);
        expect(await store.stateAt(Date.now() + 60_000)).toEqual({ checkpoint: last, earliest: 0 });
        await store.prune(Date.now() + 60_000);
        expect((await store.stateAt(time)).earliest).toBe(last);
      }));

    test("what was pruned cannot be told any more", () =>
      withEmpty(harness, async (store) => {
        const { checkpoint: since } = await store.commit(records);
        const { checkpoint: asOf } = await store.commit([recordOf("a", {})]);
        await store.prune(Date.now() + 60_000);
        const request = requestOf({ select: "ListingKey" }, everything, { since, asOf });
        await expect(changesOf(store, request)).rejects.toMatchObject({ code: "bookmark_expired" });
        await expect(pagedChangesOf(store, request, 1)).rejects.toMatchObject({ code: "bookmark_expired" });
      }));

    test("what was lost with its commit cannot be told, though another commit has its number", () =>
      withEmpty(harness, async (store) => {
        const { checkpoint } = await store.commit(records);
        const { time } = await momentOf(store, checkpoint);
        const { query, scope } = requestOf({ select: "ListingKey" }, everything, {
          since: checkpoint,
          asOf: checkpoint,
        });
        const asked = restrict(query, scope);
        const since = { checkpoint, time: time + 1 };
        for (const read of [
          { since, until: undefined },
          { since: { checkpoint, time }, until: since },
        ])
          await expect(store.changes(asked, { ...read, elsewhere: undefined })).rejects.toMatchObject({
            code: "bookmark_expired",
          });
      }));

    test("a removed record is told from one that is seen elsewhere", () =>
      withEmpty(harness, async (store) => {
        const { checkpoint } = await store.commit([
          recordOf("a", { City: "Bend" }),
          recordOf("b", { City: "Bend" }),
        ]);
        await store.commit([
          recordOf("a", { City: "Austin" }),
          { resource: "Property", datasetId: texas, removed: ["b"] },
        ]);
        const since = await momentOf(store, checkpoint);
        const asked = ask({ filter: "City eq 'Bend'", select: "ListingKey", orderBy: "ListingKey" });
        const elsewhere = ask({ select: "ListingKey", orderBy: "ListingKey" });
        const { removed, keys } = await store.changes(asked, { since, until: undefined, elsewhere });
        expect(keys).toEqual([]);
        expect(removed).toEqual([
          { key: "a", isElsewhere: true },
          { key: "b", isElsewhere: false },
        ]);
      }));
  });
}
