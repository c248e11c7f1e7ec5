import { type BoundQuery, compareRows, matches, type Row } from "@cadastre/odata";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Bookmark, CellCounts, ReadOptions, WritableStore } from "../../src/index.ts";
import { type ChangeOfKey, changeOf, histories, keys, recordOf, show, shown } from "../support/histories.ts";
import { type Asked, ask, records, texas } from "../support/listings.ts";
import { type Harness, keysOf, openEmpty, withEmpty } from "./harness.ts";

const linesOf = (text: Uint8Array): readonly Row[] =>
  Buffer.from(text)
    .toString()
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Row);

/** A store, and what it should have. */
class Told {
  readonly #present = new Map<string, Row>();
  readonly #store: WritableStore;

  constructor(store: WritableStore) {
    this.#store = store;
  }

  async commit(made: readonly ChangeOfKey[]): Promise<void> {
    await this.#store.commit(made.map(changeOf));
    for (const { key, values } of made)
      if (values === undefined) this.#present.delete(key);
      else this.#present.set(key, recordOf(key, values).record);
  }

  /** What a query finds, in its order. */
  find(query: BoundQuery): readonly Row[] {
    return [...this.#present.values()]
      .filter((row) => matches(query.filter, { ...row, DatasetId: texas }))
      .toSorted((a, b) => compareRows(query.orderBy, a, b))
      .map(show);
  }
}

/** Forget what earlier cases left. */
const clear = (store: WritableStore) =>
  store.commit(keys.map((one) => ({ resource: "Property", datasetId: texas, removed: [one] })));

/** All pages of a walk, each of which has the same keys if nothing is selected. */
async function walk(store: WritableStore, asked: Asked, options: ReadOptions): Promise<readonly Row[]> {
  const [query, ofNothing] = [ask(asked), ask({ ...asked, select: "" })];
  const met: Row[] = [];
  let from: Bookmark | undefined;
  do {
    const read = { ...options, from, lines: true };
    const page = await store.page(query, { ...read, keys: true });
    const { keys: keyed, last, next } = page;
    const rows = linesOf(page.records);
    const { records: empty, keys: only, ...rest } = await store.page(ofNothing, { ...read, keys: true });
    expect([only, rest.last, rest.next]).toEqual([keyed, last, next]);
    expect(linesOf(empty)).toEqual(rows.map(() => ({})));
    expect(keyed).toEqual(rows.map((row) => row["ListingKey"]));
    expect(last).toEqual(keyed?.slice(-1));
    met.push(...rows);
    from = next ?? undefined;
  } while (from !== undefined);
  return met;
}

const byKey = (rows: readonly Row[]) => new Map(rows.map((row) => [String(row["ListingKey"]), row]));

/** What there was at a checkpoint. */
export function past(harness: Harness): void {
  describe("as of a checkpoint", () => {
    test("whatever changed since and goes on changing, pages have exactly what there was", async () => {
      const store = await openEmpty(harness);
      await fc.assert(
        fc.asyncProperty(histories, async ({ orderBy, filter, top, changes, first }) => {
          await clear(store);
          const told = new Told(store);
          const asked: Asked = { orderBy, top, select: shown, ...(filter === undefined ? {} : { filter }) };
          const query = ask(asked);
          await told.commit(first);
          const expected = told.find(query);
          const asOf = await store.checkpoint();
          const met: Row[] = [];
          let from: Bookmark | undefined;
          for (const made of [...changes, ...Array.from({ length: keys.length }, () => [])]) {
            await told.commit(made);
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
        { numRuns: Number(process.env["CASES"] ?? 3) },
      );
      await store.close();
    });

    test("counts by cell that follow changes are those that are counted anew", async () => {
      const store = await openEmpty(harness);
      const cellsOf = ({ cells }: CellCounts) =>
        new Map(
          Array.from({ length: cells.length / 3 }, (_, i) => [
            cells.slice(3 * i, 3 * i + 2).join(),
            cells[3 * i + 2],
          ]),
        );
      await fc.assert(
        fc.asyncProperty(histories, fc.nat(), async ({ filter, changes, first }, place) => {
          await clear(store);
          const told = new Told(store);
          await told.commit(first);
          const query = ask({
            select: "BedroomsTotal,YearBuilt",
            ...(filter === undefined ? {} : { filter }),
          });
          let known: CellCounts | undefined;
          for (const [i, made] of [...changes, []].entries()) {
            const next = await store.cells(query, 1, { known });
            expect(next.checkpoint).toBe(await store.checkpoint());
            expect(cellsOf(next)).toEqual(cellsOf(await store.cells(query, 1)));
            // Some changes are of several commits, and one follows a pruning of what was closed before.
            if (i % 3 === 0) known = next;
            await told.commit(made);
            if (i === place % changes.length) await store.prune(Date.now() + 1000, 0);
          }
        }),
        { numRuns: Number(process.env["CASES"] ?? 3) },
      );
      await store.close();
    });

    test("what ended and what began make one state of another", async () => {
      const store = await openEmpty(harness);
      await fc.assert(
        fc.asyncProperty(
          histories,
          fc.nat({ max: 3 }),
          async ({ orderBy, filter, top, changes, first }, later) => {
            await clear(store);
            const told = new Told(store);
            const asked: Asked = { orderBy, top, select: shown, ...(filter === undefined ? {} : { filter }) };
            const query = ask(asked);
            await told.commit(first);
            const [before, since] = [told.find(query), await store.checkpoint()];
            for (const made of changes) await told.commit(made);
            const [after, asOf] = [told.find(query), await store.checkpoint()];
            for (const made of changes.slice(later)) await told.commit(made);
            const ended = await walk(store, asked, { asOf: since, until: asOf });
            const began = await walk(store, asked, { asOf, since });
            const [was, is] = [byKey(before), byKey(after)];
            for (const [key, row] of byKey(ended)) expect(row).toEqual(was.get(key));
            const beganKeys = [...byKey(began).keys()];
            expect(beganKeys).toEqual([...is.keys()].filter((key) => beganKeys.includes(key)));
            const made = new Map(was);
            for (const key of byKey(ended).keys()) made.delete(key);
            for (const [key, row] of byKey(began)) made.set(key, row);
            expect(made.size).toBe(is.size);
            for (const [key, row] of is) expect(made.get(key)).toEqual(row);
          },
        ),
        { numRuns: Number(process.env["CASES"] ?? 3) },
      );
      await store.close();
    });

    test("changes are as many as there are, be they few or most of all records", () =>
      withEmpty(harness, async (store) => {
        const made = Array.from({ length: 20_500 }, (_, i) => recordOf(`n${i}`, { YearBuilt: i }));
        const { checkpoint: first } = await store.commit(records);
        const { checkpoint: many } = await store.commit(made);
        const { checkpoint: all } = await store.commit(
          made.map(({ record }) => ({
            resource: "Property",
            datasetId: texas,
            removed: [record["ListingKey"]],
          })),
        );
        const query = ask({ orderBy: "ListingKey", top: 3, filter: "startswith(ListingKey,'n')" });
        const few = { asOf: all, since: all - 1, count: true };
        expect(await store.page(query, few)).toMatchObject({ length: 0, count: 0 });
        expect(await store.page(query, { asOf: many, since: first, count: true })).toMatchObject({
          length: 3,
          count: made.length,
        });
        expect(await store.page(query, { asOf: many, until: all, count: true })).toMatchObject({
          length: 3,
          count: made.length,
        });
        expect(await store.page(query, { asOf: first, until: all, count: true })).toMatchObject({ count: 0 });
      }));

    test("changes are asked for as of a checkpoint, and either those that began or those that ended", () =>
      withEmpty(harness, async (store) => {
        await store.commit(records);
        for (const options of [{ since: 0 }, { until: 1 }, { asOf: 1, since: 0, until: 1 }])
          await expect(store.page(ask({}), options)).rejects.toThrow(RangeError);
      }));

    test("a record is there that is deleted by now, and none that came later", () =>
      withEmpty(harness, async (store) => {
        const { checkpoint: asOf } = await store.commit(records);
        await store.commit([
          { resource: "Property", datasetId: texas, removed: ["a"] },
          recordOf("later", { City: "Waco" }),
        ]);
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
        await store.commit([{ resource: "Property", datasetId: texas, removed: ["a"] }]);
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
