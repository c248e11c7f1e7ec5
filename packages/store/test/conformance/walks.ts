import { compareRows, matches, type Row } from "@cadastre/odata";
import { openSkipToken, sealSkipToken } from "@cadastre/odata/paging";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Bookmark } from "../../src/index.ts";
import { type ChangeOfKey, changeOf, histories, keys, recordOf, show, shown } from "../support/histories.ts";
import { type Asked, ask, records, texas } from "../support/listings.ts";
import { type Harness, keysOf, openEmpty, rowsOf, withEmpty } from "./harness.ts";

/** Pages of one walk. */
export function walks(harness: Harness): void {
  test("whatever changes between its pages, a walk meets what was there at its start and still is, once, as it was", async () => {
    const store = await openEmpty(harness);
    await fc.assert(
      fc.asyncProperty(histories, async ({ orderBy, filter, top, changes, first }) => {
        await store.commit(keys.map((one) => ({ resource: "Property", datasetId: texas, removed: [one] })));
        const present = new Map<string, Row>();
        const commit = async (made: readonly ChangeOfKey[]) => {
          await store.commit(made.map(changeOf));
          for (const one of made) {
            if (one.values === undefined) present.delete(one.key);
            else present.set(one.key, recordOf(one.key, one.values).record);
          }
        };
        const asked: Asked = { orderBy, top, select: shown, ...(filter === undefined ? {} : { filter }) };
        const query = ask(asked);
        await commit(first);
        const atStart = [...present.values()]
          .filter((row) => matches(query.filter, { ...row, DatasetId: texas }))
          .toSorted((a, b) => compareRows(query.orderBy, a, b));
        let from: Bookmark | undefined;
        let ahead = atStart;
        for (let page = 0; page <= atStart.length; page++) {
          const read = await store.page(query, { from, count: true });
          const isThere = (row: Row) => present.has(String(row["ListingKey"]));
          const expected = ahead.filter(isThere);
          expect(rowsOf(read), `page ${page}`).toEqual(expected.slice(0, top).map(show));
          expect(read.count).toBe(atStart.filter(isThere).length);
          expect(read.next === null).toBe(expected.length <= top);
          if (read.next === null) break;
          const last = expected[top - 1];
          ahead = last === undefined ? [] : ahead.slice(ahead.indexOf(last) + 1);
          from = read.next;
          await commit(changes[page % changes.length] ?? []);
        }
      }),
      { numRuns: Number(process.env["CASES"] ?? 3) },
    );
    await store.close();
  });

  describe("a bookmark", () => {
    test("goes through a skip token unchanged", () =>
      withEmpty(harness, async (store) => {
        await store.commit(records);
        const asked = ask({ orderBy: "ListPrice desc", top: 2 });
        const { next } = await store.page(asked);
        if (next === null) throw new Error("no next page");
        const secret = Buffer.alloc(32, 1);
        const token = sealSkipToken(
          { after: [next.checkpoint, ...next.key], scope: "s", expires: 2 },
          "b",
          secret,
        );
        const { after } = openSkipToken(token, "b", secret, 1);
        const from = { checkpoint: Number(after[0]), key: after.slice(1) };
        expect(from).toEqual(next);
        expect(keysOf(await store.page(asked, { from }))).toEqual(["b", "c"]);
      }));

    test("expires when what it reads is forgotten, and only then", async () => {
      const store = await openEmpty(harness);
      await store.commit(records);
      const asked = ask({ top: 2 });
      const { next } = await store.page(asked);
      const from = next ?? undefined;
      await store.commit([recordOf("a", { City: "Waco" })]);
      await store.commit([recordOf("c", { City: "Waco" })]);
      expect(await store.prune(0)).toBe(0);
      expect(keysOf(await store.page(asked, { from }))).toEqual(["c", "d"]);
      expect(await store.prune(Date.now() + 60_000)).toBe(2);
      expect(await store.prune(Date.now() + 60_000)).toBe(0);
      await expect(store.page(asked, { from })).rejects.toMatchObject({ code: "bookmark_expired" });
      expect((await store.page(asked)).length).toBe(2);
      await store.close();
    });

    test("of a record that never was is expired", () =>
      withEmpty(harness, async (store) => {
        await store.commit(records);
        const from = { checkpoint: 1, key: ["nobody"] };
        await expect(store.page(ask(), { from })).rejects.toMatchObject({ code: "bookmark_expired" });
      }));
  });

  test.each(["City,ListPrice desc", "CloseDate desc,PoolYN", "YearBuilt desc"])(
    "thousands of records by %s: none is lost, none met twice",
    async (orderBy) => {
      const store = await harness.open("thousands");
      const size = 3000;
      const many = Array.from({ length: size }, (_, i) =>
        recordOf(`k${i}`, {
          City: i % 5 === 0 ? null : `City ${i % 13}`,
          ListPrice: i % 7 === 0 ? null : i % 11,
          CloseDate: i % 3 === 0 ? null : "2024-02-29",
          PoolYN: [true, false, null][i % 3] ?? null,
          YearBuilt: i % 4 === 0 ? null : 1990 + (i % 4),
        }),
      );
      await store.commit(many);
      const met = new Set<unknown>();
      const asked = ask({ orderBy, top: 100, select: "ListingKey" });
      let from: Bookmark | null | undefined;
      let pages = 0;
      for (; from !== null && pages < size; pages++) {
        const page = await store.page(asked, { from });
        for (const found of keysOf(page)) {
          expect(met.has(found)).toBe(false);
          met.add(found);
        }
        from = page.next;
      }
      expect([met.size, pages]).toEqual([size, size / 100]);
      await store.close();
    },
  );
}
