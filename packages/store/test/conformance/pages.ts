import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { WritableStore } from "../../src/index.ts";
import { ask, oregon, records, scopeOf, texas } from "../support/listings.ts";
import { type Harness, keysOf, openEmpty, readKeys, rowsOf } from "./harness.ts";

/** What a page, a count and a single record hold. */
export function pages(harness: Harness): void {
  let store: WritableStore;
  beforeAll(async () => {
    store = await openEmpty(harness);
    await store.commit(records);
  });
  afterAll(() => store.close());

  describe("a page", () => {
    test("holds exactly the selected properties, nulls and empty collections written out", async () => {
      const asked = ask({ select: "City,ListPrice,Appliances,PoolYN", filter: "ListingKey eq 'c'" });
      const page = await store.page(asked);
      expect(rowsOf(page)).toEqual([{ City: null, ListPrice: null, PoolYN: null, Appliances: [] }]);
      expect(page.next).toBeNull();
      expect(rowsOf(await store.page(asked, { nulls: false }))).toEqual([{ Appliances: [] }]);
    });

    test("holds each record as it was written", async () => {
      const rows = rowsOf(await store.page(ask(), { nulls: false }));
      expect(rows).toEqual(records.map(({ record }) => ({ Appliances: [], ...record })));
    });

    test.each([
      [{ filter: "City eq 'O''Fallon'" }, ["b"]],
      [{ filter: "ListPrice gt 0.069 and ListPrice lt 0.071" }, ["b"]],
      [{ filter: "TaxAnnualAmount eq 0.07" }, ["a"]],
      [{ filter: "TaxAnnualAmount eq 0.071" }, []],
      [{ filter: "PoolYN" }, ["b"]],
      [{ filter: "not PoolYN" }, ["d"]],
      [{ filter: "PoolYN eq null" }, ["a", "c", "e", "f"]],
      [{ filter: "OffMarketDate eq 2024-02-29" }, ["c"]],
      [{ filter: "StatusChangeTimestamp gt 2024-05-01T10:00:00.1229Z" }, ["e"]],
      [{ filter: "YearBuilt in (1999,2020)" }, ["c", "f"]],
      [{ filter: "Appliances/any(a:a eq 'Range')" }, ["f"]],
      [{ filter: "not Appliances/any()" }, ["b", "c", "d", "e"]],
      [{ orderBy: "TaxAnnualAmount desc", top: 2 }, ["b", "a"]],
      [{ skip: 4 }, ["e", "f"]],
      [{ top: 0 }, []],
    ])("of %j is %j", async (asked, expected) => {
      expect(await readKeys(store, asked)).toEqual(expected);
    });

    test("tells where the next one starts, unless it is the last", async () => {
      const asked = ask({ orderBy: "City", top: 4 });
      const first = await store.page(asked);
      expect(keysOf(first)).toEqual(["c", "e", "a", "d"]);
      expect(first.next).toEqual({ checkpoint: 1, key: ["d"] });
      const second = await store.page(asked, { from: first.next ?? undefined });
      expect(keysOf(second)).toEqual(["b", "f"]);
      expect(second.next).toBeNull();
    });

    test("that ends exactly at the last row has no next one", async () => {
      expect((await store.page(ask({ top: 6 }))).next).toBeNull();
    });

    test("of no records counts all the same", async () => {
      const { records: bytes, length, next, count } = await store.page(ask({ top: 0 }), { count: true });
      expect([bytes.length, length, next, count]).toEqual([0, 0, null, 6]);
      const none = await store.page(ask({ filter: "City eq 'Nowhere'" }), { count: true });
      expect([none.length, none.next, none.count]).toEqual([0, null, 0]);
    });
  });

  const partly = scopeOf({ [texas]: ["City", "ListPrice", "TaxAnnualAmount"], [oregon]: ["City"] });

  describe("restriction", () => {
    test.each([
      ["one dataset", scopeOf({ [oregon]: "*" }), ["d", "e", "f"]],
      ["one state", scopeOf({ [texas]: "*", [oregon]: "*" }, "OR"), ["d", "e"]],
      ["no row of the state", scopeOf({ [texas]: "*" }, "OR"), []],
    ])("to %s holds for pages and counts", async (_name, scope, expected) => {
      expect(await readKeys(store, {}, scope)).toEqual(expected);
      expect(await store.count(ask({}, scope))).toBe(expected.length);
      expect((await store.page(ask({ top: 1 }, scope), { count: true })).count).toBe(expected.length);
    });

    test("makes a field null where its dataset does not show it: in the answer, the filter and the order", async () => {
      const rows = rowsOf(await store.page(ask({ select: "ListingKey,ListPrice,TaxAnnualAmount" }, partly)));
      expect(rows.map((row) => row["ListPrice"])).toEqual([350_000.5, 0.07, null, null, null, null]);
      expect(rows.map((row) => row["TaxAnnualAmount"])).toEqual([0.07, 350_000.5, null, null, null, null]);
      expect(await readKeys(store, { filter: "ListPrice gt 400000" }, partly)).toEqual([]);
      expect(await readKeys(store, { filter: "ListPrice eq null" }, partly)).toEqual(["c", "d", "e", "f"]);
      expect(await readKeys(store, { orderBy: "ListPrice desc" }, partly)).toEqual([
        "a",
        "b",
        "c",
        "d",
        "e",
        "f",
      ]);
    });

    test("leaves a hidden member out where nulls are", async () => {
      const asked = ask({ select: "ListingKey,ListPrice", filter: "City eq '😀'" }, partly);
      expect(rowsOf(await store.page(asked, { nulls: false }))).toEqual([{ ListingKey: "f" }]);
    });

    test("gives one and the same nothing for a hidden and an absent record", async () => {
      const scope = scopeOf({ [oregon]: "*" });
      expect(await store.one(ask({ filter: "ListingKey eq 'a'" }, scope))).toBeUndefined();
      expect(await store.one(ask({ filter: "ListingKey eq 'zzz'" }, scope))).toBeUndefined();
    });
  });

  test("one record is found by its key, and by anything else", async () => {
    for (const filter of ["ListingKey eq 'd'", "CloseDate eq 2024-02-29"]) {
      const asked = ask({ filter, select: "City,ListPrice" });
      expect(Buffer.from((await store.one(asked)) ?? []).toString()).toBe(`{"City":"Bend","ListPrice":null}`);
      expect(Buffer.from((await store.one(asked, { nulls: false })) ?? []).toString()).toBe(
        `{"City":"Bend"}`,
      );
    }
  });

  test("what was read does not change when other records are read", async () => {
    const one = (key: string) => store.one(ask({ filter: `ListingKey eq '${key}'` }));
    const read = [
      await one("a"),
      (await store.page(ask())).records,
      (await store.page(ask({ top: 1 }))).records,
    ];
    const texts = read.map(String);
    for (const { record } of records) {
      await one(String(record["ListingKey"]));
      await store.page(ask({ top: 2, skip: 1 }));
    }
    expect(read.map(String)).toEqual(texts);
  });

  test("the memory of a page that was released does not show its records any more", async () => {
    const page = await store.page(ask());
    const { records, length, release } = page;
    expect(length).toBeGreaterThan(0);
    release?.();
    release?.();
    // Without reader threads SQLite does not use the memory again.
    // PostgreSQL's pages have no memory then, which `some` would refuse.
    const isShown = records.length === 0 ? false : records.some((byte) => byte !== 0);
    expect(isShown).toBe(release === undefined);
    const texts = await Promise.all([store.page(ask()), store.page(ask())]);
    expect(String(texts[0]?.records)).toBe(String(texts[1]?.records));
  });

  test("another entity set is refused", async () => {
    const query = ask();
    const foreign = Object.assign(query, { entitySet: { ...query.entitySet, name: "Media" } });
    await expect(async () => store.page(foreign)).rejects.toMatchObject({ code: "unknown_resource" });
  });
}
