import { compareRows, matches, type Row } from "@cadastre/odata";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Bookmark } from "../../src/index.ts";
import { type ChangeOfKey, changeOf, histories, keys, recordOf, show, shown } from "../support/histories.ts";
import { type Asked, ask, records, texas } from "../support/listings.ts";
import { type Harness, keysOf, openEmpty, withEmpty } from "./harness.ts";

const linesOf = (text: Uint8Array): readonly Row[] =>
  Buffer.from(text)
    .toString()
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Row);

/** What there was at a checkpoint. */
export function past(harness: Harness): void {
  describe("as of a checkpoint", () => {
    test("whatever changed since and goes on changing, pages have exactly what there was", async () => {
      const store = await openEmpty(harness);
      await fc.assert(
        fc.asyncProperty(histories, async ({ orderBy, filter, top, changes, first }) => {
          const present = new Map<string, Row>();
          const commit = async (made: readonly ChangeOfKey[]) => {
            await store.commit(made.map(changeOf));
            for (const { key, values } of made)
              if (values === undefined) present.delete(key);
              else present.set(key, recordOf(key, values).record);
          };
          await store.commit(keys.map((one) => ({ resource: "Property", removed: [one] })));
          const asked: Asked = { orderBy, top, select: shown, ...(filter === undefined ? {} : { filter }) };
          const query = ask(asked);
          await commit(first);
          const expected = [...present.values()]
            .filter((row) => matches(query.filter, { ...row, DatasetId: texas }))
            .toSorted((a, b) => compareRows(query.orderBy, a, b))
            .map(show);
          const asOf = await store.checkpoint();
          const met: Row[] = [];
          let from: Bookmark | undefined;
          for (const made of [...changes, ...Array.from({ length: keys.length }, () => [])]) {
            await commit(made);
            const {
              records: lines,
              length,
              next,
              count,
            } = await store.page(query, {
              asOf,
              from,
              lines: true,
              count: true,
            });
            const page = linesOf(lines);
            expect(page).toHaveLength(length);
            expect(count).toBe(expected.length);
            met.push(...page);
            if (next === null) break;
            from = next;
          }
          expect(met).toEqual(expected);
        }),
        { numRuns: Number(process.env["CASES"] ?? 60) },
      );
      await store.close();
    });

    test("a record is there that is deleted by now, and none that came later", () =>
      withEmpty(harness, async (store) => {
        const { checkpoint: asOf } = await store.commit(records);
        await store.commit([{ resource: "Property", removed: ["a"] }, recordOf("later", { City: "Waco" })]);
        const now = keysOf(await store.page(ask({ orderBy: "ListingKey" })));
        const then = keysOf(await store.page(ask({ orderBy: "ListingKey" }), { asOf }));
        expect(then).toContain("a");
        expect(now).not.toContain("a");
        expect(then).not.toContain("later");
        expect(now).toContain("later");
      }));

    test("a line is a record, and an empty page has none", () =>
      withEmpty(harness, async (store) => {
        const { checkpoint: asOf } = await store.commit(records);
        const query = ask({ orderBy: "ListingKey", select: "ListingKey" });
        const { records: lines } = await store.page(query, { asOf, lines: true });
        expect(Buffer.from(lines).toString()).toMatch(/^({"ListingKey":"\w"}\n)+$/);
        const none = await store.page(ask({ filter: "ListingKey eq 'none'" }), { asOf, lines: true });
        expect(none.records).toHaveLength(0);
      }));

    test("what is kept can be read until it need not be", () =>
      withEmpty(harness, async (store) => {
        const { checkpoint: asOf } = await store.commit(records);
        await store.commit([{ resource: "Property", removed: ["a"] }]);
        const query = ask({ orderBy: "ListingKey" });
        const later = Date.now() + 60_000;
        expect(await store.prune(later, 3, asOf)).toBe(0);
        expect(keysOf(await store.page(query, { asOf }))).toContain("a");
        expect(await store.prune(later)).toBe(1);
        await expect(store.page(query, { asOf })).rejects.toMatchObject({ code: "bookmark_expired" });
      }));

    test("a bookmark of another checkpoint is refused", () =>
      withEmpty(harness, async (store) => {
        const { checkpoint: asOf } = await store.commit(records);
        const from = { checkpoint: asOf + 1, key: ["a"] };
        await expect(store.page(ask({}), { asOf, from })).rejects.toThrow(RangeError);
      }));
  });
}
