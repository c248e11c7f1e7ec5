import { describe, expect, test } from "vitest";
import type { Change, StoredRecord } from "../../src/index.ts";
import { ask, oregon, records, scopeOf, stored, texas } from "../support/listings.ts";
import { type Harness, keysOf, openEmpty, readKeys, rowsOf, withEmpty } from "./harness.ts";

const listing = (key: string, city: string, datasetId = texas): StoredRecord => ({
  resource: "Property",
  datasetId,
  record: {
    ListingKey: key,
    ModificationTimestamp: "2024-05-01T10:00:00.000Z",
    StateOrProvince: "TX",
    City: city,
  },
});
const removal = (key: string): Change => ({ resource: "Property", datasetId: texas, removed: [key] });

/** What commits do, count and refuse. */
export function commits(harness: Harness): void {
  describe("a commit", () => {
    test("counts what it writes, leaves and removes, and numbers only what changes something", () =>
      withEmpty(harness, async (store) => {
        const none = { written: 0, unchanged: 0, removed: 0 };
        expect(await store.checkpoint()).toBe(0);
        expect(await store.commit([])).toEqual({ checkpoint: 0, ...none });
        expect(await store.commit(records)).toEqual({ checkpoint: 1, ...none, written: 6 });
        expect(await store.commit(records)).toEqual({ checkpoint: 1, ...none, unchanged: 6 });
        expect(await store.commit([removal("a"), removal("zzz"), ...records.slice(1, 3)])).toEqual({
          checkpoint: 2,
          written: 0,
          unchanged: 2,
          removed: 1,
        });
        expect(await store.commit([removal("a")])).toEqual({ checkpoint: 2, ...none });
        expect(await store.checkpoint()).toBe(2);
        expect(await readKeys(store, {})).toEqual(["b", "c", "d", "e", "f"]);
      }));

    test("takes a record that loses a value as changed", () =>
      withEmpty(harness, async (store) => {
        await store.commit([listing("a", "Austin")]);
        const without = { ...listing("a", ""), record: { ...listing("a", "").record, City: null } };
        expect(await store.commit([without])).toMatchObject({ written: 1 });
        expect(rowsOf(await store.page(ask({ select: "City" })))).toEqual([{ City: null }]);
      }));

    test("refuses a key that another dataset holds, and changes nothing", () =>
      withEmpty(harness, async (store) => {
        await store.commit([listing("a", "Austin")]);
        const taken = [listing("b", "Waco"), listing("a", "Bend", oregon)];
        for (const changes of [taken, taken.toReversed(), [listing("c", "1"), listing("c", "2", oregon)]])
          await expect(store.commit(changes)).rejects.toMatchObject({ code: "key_of_another_dataset" });
        expect(rowsOf(await store.page(ask({ select: "ListingKey,City" })))).toEqual([
          { ListingKey: "a", City: "Austin" },
        ]);
      }));

    test("takes a key for another dataset once it is removed from the first", () =>
      withEmpty(harness, async (store) => {
        await store.commit([listing("a", "Austin")]);
        const moved = await store.commit([removal("a"), listing("a", "Bend", oregon)]);
        expect(moved).toMatchObject({ written: 1, removed: 1 });
        expect(rowsOf(await store.page(ask({ select: "City" }, scopeOf({ [oregon]: "*" }))))).toEqual([
          { City: "Bend" },
        ]);
        expect(await store.count(ask({}, scopeOf({ [texas]: "*" })))).toBe(0);
      }));

    test("removes nothing of another dataset", () =>
      withEmpty(harness, async (store) => {
        await store.commit([listing("a", "Austin")]);
        const absent = await store.commit([{ ...removal("a"), datasetId: oregon }]);
        expect(absent).toMatchObject({ checkpoint: 1, removed: 0 });
        expect(await readKeys(store, {})).toEqual(["a"]);
      }));

    test("refuses a record without a dataset, unless its resource is shared", async () => {
      const lookup = { ...listing("a", "Austin"), datasetId: null };
      await withEmpty(harness, async (store) => {
        await expect(store.commit([lookup])).rejects.toMatchObject({ code: "invalid_record" });
      });
      await withEmpty(
        harness,
        async (store) => {
          expect(await store.commit([lookup])).toMatchObject({ written: 1 });
          const held = { ...lookup, datasetId: texas };
          await expect(store.commit([held])).rejects.toMatchObject({ code: "key_of_another_dataset" });
          expect(await store.commit([lookup])).toMatchObject({ unchanged: 1 });
          expect(await store.commit([{ ...removal("a"), datasetId: null }])).toMatchObject({ removed: 1 });
        },
        { resources: [{ ...stored, shared: true }] },
      );
    });

    test("of a dataset refuses changes of others and of shared resources, and changes nothing", async () => {
      const options = { datasetId: texas };
      await withEmpty(harness, async (store) => {
        const own = [listing("a", "Austin"), listing("b", "Bend")];
        expect(await store.commit(own, options)).toMatchObject({ checkpoint: 1, written: 2 });
        const foreign = [listing("c", "Waco"), listing("d", "Bend", oregon)];
        for (const change of [...foreign.slice(1), { ...removal("a"), datasetId: oregon }])
          await expect(store.commit([listing("c", "Waco"), change], options)).rejects.toMatchObject({
            code: "invalid_record",
            message: expect.stringContaining("another dataset") as string,
          });
        expect(await store.commit(own, options)).toMatchObject({ checkpoint: 1, unchanged: 2 });
        expect(await store.commit(foreign)).toMatchObject({ checkpoint: 2, written: 2 });
        expect(await readKeys(store, {})).toEqual(["a", "b", "c", "d"]);
        await expect(store.commit([listing("d", "Waco")], options)).rejects.toMatchObject({
          code: "key_of_another_dataset",
        });
        expect(await store.commit([removal("a"), removal("zzz")], options)).toMatchObject({
          checkpoint: 3,
          removed: 1,
        });
      });
      await withEmpty(
        harness,
        async (store) => {
          await expect(store.commit([listing("a", "Austin")], options)).rejects.toMatchObject({
            code: "invalid_record",
            message: expect.stringContaining("shared") as string,
          });
        },
        { resources: [{ ...stored, shared: true }] },
      );
    });

    test("takes several changes of one record in their order", () =>
      withEmpty(harness, async (store) => {
        const first = [
          listing("a", "1"),
          listing("a", "1"),
          listing("a", "2"),
          listing("b", "1"),
          removal("b"),
        ];
        expect(await store.commit(first)).toEqual({ checkpoint: 1, written: 3, unchanged: 1, removed: 1 });
        expect(rowsOf(await store.page(ask({ select: "ListingKey,City" })))).toEqual([
          { ListingKey: "a", City: "2" },
        ]);
        const second = [removal("a"), listing("a", "3"), removal("a"), listing("a", "4")];
        expect(await store.commit(second)).toEqual({ checkpoint: 2, written: 2, unchanged: 0, removed: 2 });
        // One version was there before the commit, and one is left of it.
        expect(await store.prune(Date.now() + 60_000)).toBe(1);
        expect(rowsOf(await store.page(ask({ select: "City" })))).toEqual([{ City: "4" }]);
      }));

    test("is all or nothing: a bad record leaves the others out too", () =>
      withEmpty(harness, async (store) => {
        await store.commit(records);
        const bad = { ...listing("z", ""), record: { ListingKey: "z", ModificationTimestamp: "yesterday" } };
        await expect(store.commit([listing("y", "Waco"), removal("a"), bad])).rejects.toThrow(
          "ModificationTimestamp is not a valid Edm.DateTimeOffset",
        );
        expect(await store.count(ask())).toBe(records.length);
        expect(await store.commit(records)).toMatchObject({ checkpoint: 1, unchanged: records.length });
      }));

    test("fails with its source, and leaves nothing", () =>
      withEmpty(harness, async (store) => {
        async function* broken(): AsyncGenerator<Change> {
          yield* records;
          throw new Error("the source is gone");
        }
        await expect(store.commit(broken())).rejects.toThrow("the source is gone");
        expect(await store.count(ask())).toBe(0);
      }));

    test("takes more records than one message holds", () =>
      withEmpty(harness, async (store) => {
        const many = Array.from({ length: 2345 }, (_, i) => listing(String(i), `City ${i % 7}`));
        expect(await store.commit(many)).toMatchObject({ written: many.length });
        expect(await store.commit(many)).toMatchObject({ written: 0, unchanged: many.length });
        expect(await store.count(ask({ filter: "City eq 'City 3'" }))).toBe(335);
      }));

    test("is refused for a resource that is not stored", () =>
      withEmpty(harness, async (store) => {
        const media = { resource: "Media", datasetId: texas, record: {} };
        await expect(store.commit([media])).rejects.toMatchObject({ code: "unknown_resource" });
      }));
  });

  test("two writers at once: every commit has its own number, and none is lost", async () => {
    const stores = [await harness.open("shared"), await harness.open("shared")];
    const numbers = await Promise.all(
      Array.from({ length: 20 }, async (_, i) => {
        const { checkpoint } = (await stores[i % 2]?.commit([listing(`k${i}`, `${i}`)])) ?? { checkpoint: 0 };
        return checkpoint;
      }),
    );
    expect(numbers.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, i) => i + 1));
    for (const store of stores) {
      expect(await store.checkpoint()).toBe(20);
      expect(await store.count(ask())).toBe(20);
      await store.close();
    }
  });

  test("a store opened again has its records, and columns and indexes that are new", async () => {
    const plain = { ...stored, columns: ["ModificationTimestamp"], indexes: [] };
    const before = await harness.open("reopened", { resources: [plain] });
    await before.commit(records);
    await before.commit([listing("a", "Dallas")]);
    await before.close();
    const after = await harness.open("reopened");
    expect(await readKeys(after, { filter: "City eq 'Dallas'" })).toEqual(["a"]);
    expect(await readKeys(after, { orderBy: "ListPrice desc", top: 2 })).toEqual(["f", "b"]);
    expect(await after.commit(records)).toMatchObject({ written: 1, unchanged: 5 });
    await after.close();
  });

  test("a column that is new is filled in closed versions too", async () => {
    const plain = { ...stored, columns: ["ModificationTimestamp"], indexes: [] };
    const before = await harness.open("refilled", { resources: [plain] });
    await before.commit(records);
    const { next } = await before.page(ask({ top: 1 }));
    await before.commit([listing("b", "Dallas")]);
    await before.close();
    const after = await harness.open("refilled");
    const rest = await after.page(ask({ filter: "City eq 'O''Fallon'", top: 5 }), {
      from: next ?? undefined,
    });
    expect(keysOf(rest)).toEqual(["b"]);
    await after.close();
  });

  test("notes are kept with the store", async () => {
    const store = await openEmpty(harness);
    expect(await store.notes.get("seed")).toBeUndefined();
    await store.notes.set("seed", "1");
    await store.notes.set("seed", "2");
    expect(await store.notes.get("seed")).toBe("2");
    await store.close();
  });
}
