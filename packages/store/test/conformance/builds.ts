import { setImmediate } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import type { CandidateRecord, StoredRecord, WritableStore } from "../../src/index.ts";
import { ask, listing, oregon, records, removal, texas } from "../support/listings.ts";
import { type Harness, type Json, openEmpty, readKeys, rowsOf, withEmpty } from "./harness.ts";

const resource = "Property";

const citiesOf = async (store: WritableStore): Promise<Json> =>
  Object.fromEntries<unknown>(
    rowsOf(await store.page(ask({ select: "ListingKey,City" }))).map(({ ListingKey, City }) => [
      String(ListingKey),
      City,
    ]),
  );

async function textsOf(found: AsyncIterable<CandidateRecord>): Promise<readonly unknown[]> {
  const texts: unknown[] = [];
  for await (const { datasetId, text } of found) texts.push([datasetId, JSON.parse(text)]);
  return texts;
}

/** What is staged, published and rolled back. */
export function builds(harness: Harness): void {
  describe("what is staged", () => {
    test("is not served before it is published, and then is one commit and a build", () =>
      withEmpty(harness, async ({ builds, ...store }) => {
        expect(await builds.current(resource)).toBeUndefined();
        expect(await builds.stage(resource, "mls", records, { cursor: "1" })).toEqual({ changes: 6 });
        expect(await store.count(ask())).toBe(0);
        expect(await store.checkpoint()).toBe(0);
        const before = Date.now();
        const publication = await builds.publish([resource]);
        const [build] = publication.published ? publication.builds : [];
        expect(build).toMatchObject({
          resource,
          checkpoint: 1,
          previous: null,
          records: 6,
          cursors: { mls: "1" },
          evidence: null,
        });
        expect(build?.id).toMatch(/^[0-9A-HJKMNP-TV-Z]{26}$/);
        expect(build?.sha256).toMatch(/^[0-9a-f]{64}$/);
        expect(build?.published).toBeGreaterThanOrEqual(before);
        expect(await builds.current(resource)).toEqual(build);
        expect(await builds.list(resource)).toEqual([build]);
        expect(await store.commit(records.map((one) => ({ ...one, source: "mls" })))).toMatchObject({
          unchanged: 6,
        });
        expect(await builds.stage(resource, "mls", [removal("a")], { cursor: "2" })).toEqual({ changes: 1 });
        expect(await builds.publish([resource])).toMatchObject({
          commit: { checkpoint: 2, written: 0, unchanged: 0, removed: 1 },
          builds: [{ previous: build?.id, records: 5, cursors: { mls: "2" } }],
        });
        expect(await readKeys({ builds, ...store }, {})).toEqual(["b", "c", "d", "e", "f"]);
      }));

    test("keeps every digit and every property", () =>
      withEmpty(harness, async (store) => {
        const exact = {
          ...listing("a", "O'Fallon \u{1f600} \\ \""),
          record: { ...listing("a", "O'Fallon").record, YearBuilt: 9007199254740993n, Appliances: ["Oven"] },
        };
        await store.builds.stage(resource, "mls", [exact], { cursor: "1" });
        await store.builds.publish([resource]);
        expect(await store.commit([{ ...exact, source: "mls" }])).toMatchObject({ unchanged: 1 });
      }));

    test("is a batch or nothing, with its cursor", () =>
      withEmpty(harness, async ({ builds }) => {
        const bad = { ...listing("z", ""), record: { ListingKey: "z", ModificationTimestamp: "yesterday" } };
        await builds.stage(resource, "mls", records.slice(0, 1), { cursor: "1" });
        const batch = builds.stage(resource, "mls", [...records.slice(1), bad], { cursor: "2" });
        await expect(batch).rejects.toMatchObject({ code: "invalid_record" });
        expect(await builds.cursor(resource, "mls")).toBe("1");
        expect(await builds.cursor(resource, "other")).toBeNull();
        expect(await builds.publish([resource])).toMatchObject({ commit: { written: 1 } });
      }));

    test("is not taken twice, and not out of its order", () =>
      withEmpty(harness, async ({ builds, ...store }) => {
        const first = async () =>
          builds.stage(resource, "mls", [listing("a", "1")], { after: null, cursor: "1" });
        const second = async () =>
          builds.stage(resource, "mls", [listing("a", "2"), listing("b", "2")], { after: "1", cursor: "2" });
        await first();
        await second();
        expect(await second()).toEqual({ changes: 0 });
        await expect(first()).rejects.toMatchObject({ code: "cursor_passed" });
        await builds.publish([resource]);
        expect(await citiesOf({ builds, ...store })).toEqual({ a: "2", b: "2" });
        expect(await second()).toEqual({ changes: 0 });
      }));

    test("of one record counts as it was staged last, whatever the source", () =>
      withEmpty(harness, async (store) => {
        const { builds } = store;
        await builds.stage(resource, "z", [listing("a", "1"), listing("b", "1")], { cursor: "1" });
        await builds.stage(resource, "y", [listing("a", "2"), listing("b", "2")], { cursor: "1" });
        await builds.stage(resource, "z", [listing("b", "3"), listing("b", "4")], { cursor: "2" });
        await builds.publish([resource]);
        expect(await citiesOf(store)).toEqual({ a: "2", b: "4" });
      }));

    test("is forgotten when it is discarded, and its source stands where it is served", () =>
      withEmpty(harness, async (store) => {
        const { builds } = store;
        await builds.stage(resource, "mls", [listing("a", "1")], { cursor: "1" });
        await builds.publish([resource]);
        await builds.stage(resource, "mls", [listing("a", "2"), listing("b", "2")], { cursor: "2" });
        await builds.stage(resource, "other", [listing("c", "2")], { cursor: "9" });
        expect(await builds.discard(resource, "mls")).toBe(2);
        expect(await builds.discard(resource, "none")).toBe(0);
        expect(await builds.cursor(resource, "mls")).toBe("1");
        await builds.publish([resource]);
        expect(await citiesOf(store)).toEqual({ a: "1", c: "2" });
      }));

    test("decides which keys its source will have", () =>
      withEmpty(harness, async ({ builds }) => {
        await builds.stage(resource, "mls", [listing("a", "1"), listing("b", "1")], { cursor: "1" });
        await builds.stage(resource, "other", [listing("o", "1")], { cursor: "1" });
        await builds.publish([resource]);
        await builds.stage(resource, "mls", [removal("a"), listing("b", "2"), listing("c", "2")], {
          cursor: "2",
        });
        await builds.stage(resource, "mls", [removal("d")], { cursor: "3" });
        expect(await builds.keys(resource, "mls")).toEqual([["b"], ["c"]]);
        expect(await builds.keys(resource, "mls", ["b"])).toEqual([["c"]]);
        expect(await builds.keys(resource, "none")).toEqual([]);
        await builds.publish([resource]);
        expect(await builds.keys(resource, "mls")).toEqual([["b"], ["c"]]);
      }));

    test("is of a resource that is stored", () =>
      withEmpty(harness, async ({ builds }) => {
        const code = { code: "unknown_resource" };
        await expect(builds.stage("Media", "mls", [], { cursor: "1" })).rejects.toMatchObject(code);
        await expect(builds.publish(["Media"])).rejects.toMatchObject(code);
        const foreign = [{ resource: "Media", datasetId: texas, removed: ["1"] }];
        await expect(builds.stage(resource, "mls", foreign, { cursor: "1" })).rejects.toMatchObject(code);
      }));

    test("waits for another process that opens the store", async () => {
      const before = await harness.open("staged_again");
      await before.builds.stage(resource, "mls", records, { cursor: "1" });
      await before.close();
      const after = await harness.open("staged_again");
      expect(await after.builds.cursor(resource, "mls")).toBe("1");
      expect(await after.builds.publish([resource])).toMatchObject({ commit: { written: 6 } });
      await after.close();
    });
  });

  describe("a full set", () => {
    test("deletes what its source has and it does not name", () =>
      withEmpty(harness, async (store) => {
        const { builds } = store;
        await store.commit([listing("s", "sample")]);
        await builds.stage(resource, "mls", [listing("a", "1"), listing("b", "1"), listing("c", "1")], {
          cursor: "1",
        });
        await builds.stage(resource, "other", [listing("d", "1")], { cursor: "1" });
        await builds.publish([resource]);
        await builds.stage(resource, "mls", [listing("c", "2"), listing("n", "2")], { cursor: "2" });
        await builds.stage(resource, "mls", [listing("a", "3")], { cursor: "3", fullSet: "begins" });
        // While it is open, nothing of its source is published.
        await builds.stage(resource, "other", [listing("e", "1")], { cursor: "2" });
        await builds.publish([resource]);
        expect(await citiesOf(store)).toEqual({ a: "1", b: "1", c: "1", d: "1", e: "1", s: "sample" });
        await builds.stage(resource, "mls", [listing("b", "3")], { cursor: "4", fullSet: "ends" });
        await builds.stage(resource, "mls", [removal("b")], { cursor: "5" });
        await builds.publish([resource]);
        expect(await citiesOf(store)).toEqual({ a: "3", d: "1", e: "1", s: "sample" });
        await builds.stage(resource, "other", [], { cursor: "3", fullSet: "whole" });
        await builds.publish([resource]);
        expect(await citiesOf(store)).toEqual({ a: "3", s: "sample" });
        // A set that was published says nothing about what comes after it.
        await builds.stage(resource, "mls", [listing("f", "6")], { cursor: "6" });
        await builds.publish([resource]);
        expect(await citiesOf(store)).toEqual({ a: "3", f: "6", s: "sample" });
      }));

    test("is refused if it has a key that another dataset holds, or that is staged for one", () =>
      withEmpty(harness, async ({ builds, commit }) => {
        await commit([listing("a", "1")]);
        await builds.stage(resource, "mls", [listing("b", "1")], { cursor: "1" });
        for (const key of ["a", "b"]) {
          const batch = [listing("c", "1", oregon), listing(key, "1", oregon)];
          await expect(builds.stage(resource, "other", batch, { cursor: "1" })).rejects.toMatchObject({
            code: "key_of_another_dataset",
            details: expect.stringContaining(key) as string,
          });
        }
        const removed = [listing("a", "1", oregon), listing("a", "1", "third"), removal("a", "third")];
        await expect(builds.stage(resource, "other", removed, { cursor: "1" })).rejects.toMatchObject({
          code: "key_of_another_dataset",
        });
        expect(await builds.cursor(resource, "other")).toBeNull();
        await builds.stage(resource, "mls", [removal("a")], { cursor: "2" });
        await builds.publish([resource]);
        await builds.stage(resource, "other", [listing("a", "2", oregon)], { cursor: "1" });
        expect(await builds.publish([resource])).toMatchObject({ commit: { written: 1 } });
      }));

    test("is not published if another dataset has got one of its keys meanwhile", () =>
      withEmpty(harness, async (store) => {
        const { builds } = store;
        await builds.stage(resource, "mls", [listing("a", "1"), listing("b", "1")], { cursor: "1" });
        await store.commit([listing("a", "2", oregon)]);
        await expect(builds.publish([resource])).rejects.toMatchObject({ code: "key_of_another_dataset" });
        expect(await citiesOf(store)).toEqual({ a: "2" });
        await store.commit([removal("a", oregon)]);
        await builds.publish([resource]);
        expect(await citiesOf(store)).toEqual({ a: "1", b: "1" });
      }));

    test("cannot end before it begins", () =>
      withEmpty(harness, async ({ builds }) => {
        const batch = builds.stage(resource, "mls", [], { cursor: "1", fullSet: "ends" });
        await expect(batch).rejects.toMatchObject({ code: "set_not_begun" });
      }));
  });

  describe("a check", () => {
    test("sees the candidate state, and gives the evidence", () =>
      withEmpty(harness, async (store) => {
        const { builds } = store;
        await store.commit([...records, listing("g", "Bend", oregon)]);
        await builds.stage(resource, "mls", [removal("g", oregon), listing("h", "Waco")], { cursor: "1" });
        const publication = await builds.publish([resource], async (candidate) => {
          expect(candidate).toMatchObject({ resource, checkpoint: 2, previous: null, records: 7 });
          expect(candidate.commit).toMatchObject({ written: 1, removed: 1 });
          expect(await candidate.count(ask())).toBe(7);
          expect(await store.count(ask())).toBe(7);
          expect(await candidate.count(ask({ filter: "City eq 'Waco'" }))).toBe(1);
          expect(await store.count(ask({ filter: "City eq 'Waco'" }))).toBe(0);
          const page = await candidate.page(ask({ orderBy: "ListingKey desc", top: 1, select: "City" }));
          expect(rowsOf(page)).toEqual([{ City: "Waco" }]);
          const next = await candidate.page(
            ask({ orderBy: "ListingKey desc", top: 1, select: "ListingKey" }),
            {
              from: page.next ?? undefined,
            },
          );
          expect(rowsOf(next)).toEqual([{ ListingKey: "f" }]);
          expect(await textsOf(candidate.all())).toHaveLength(7);
          const changed: unknown[] = [];
          for await (const { text, isChanged } of candidate.all())
            if (isChanged) changed.push(JSON.parse(text));
          expect(await textsOf(candidate.changed())).toEqual([[texas, listing("h", "Waco").record]]);
          expect(changed).toEqual([listing("h", "Waco").record]);
          expect(await textsOf(candidate.removed())).toEqual([[oregon, listing("g", "Bend").record]]);
          expect(await candidate.setChanges()).toEqual([{ resource, source: null, before: 7, removed: 1 }]);
          return { passed: true, evidence: { keys: 7 } };
        });
        expect(publication.published).toBe(true);
        expect((await builds.current(resource))?.evidence).toEqual({ keys: 7 });
      }));

    test("of a publication without changes sees none, not those of the commit before", () =>
      withEmpty(harness, async (store) => {
        const { builds } = store;
        await store.commit([...records, listing("g", "Bend", oregon)]);
        await builds.stage(resource, "mls", [removal("g", oregon), listing("h", "Waco")], { cursor: "1" });
        await builds.publish([resource]);
        await builds.publish([resource], async (candidate) => {
          const changed: unknown[] = [];
          for await (const { text, isChanged } of candidate.all()) if (isChanged) changed.push(text);
          expect([changed, await textsOf(candidate.removed())]).toEqual([[], []]);
          expect(await candidate.setChanges()).toEqual([
            { resource, source: "mls", before: 1, removed: 0 },
            { resource, source: null, before: 6, removed: 0 },
          ]);
          return { passed: true, evidence: null };
        });
      }));

    test.each(["refuses", "throws"])("that %s leaves everything as it was", (how) =>
      withEmpty(harness, async (store) => {
        const { builds } = store;
        await builds.stage(resource, "mls", records.slice(0, 2), { cursor: "1" });
        await builds.publish([resource]);
        const [before, checkpoint] = [await builds.list(resource), await store.checkpoint()];
        await builds.stage(resource, "mls", records.slice(1), { cursor: "2", fullSet: "whole" });
        const publication = builds.publish([resource], ({ records: count }) => {
          if (how === "throws") throw new Error("the gate is broken");
          return { passed: false, evidence: { count } };
        });
        if (how === "throws") await expect(publication).rejects.toThrow("the gate is broken");
        else
          expect(await publication).toEqual({
            published: false,
            verdicts: { [resource]: { passed: false, evidence: { count: 5 } } },
          });
        expect(await builds.list(resource)).toEqual(before);
        expect(await store.checkpoint()).toBe(checkpoint);
        expect(await readKeys(store, {})).toEqual(["a", "b"]);
        expect(await builds.publish([resource])).toMatchObject({ commit: { written: 4, removed: 1 } });
        expect(await readKeys(store, {})).toEqual(["b", "c", "d", "e", "f"]);
      }),
    );
  });

  describe("a build", () => {
    test("has the hash of its records, however they came to be", async () => {
      const [one, other] = [await openEmpty(harness), await openEmpty(harness)];
      for (const [i, record] of records.entries())
        await one.builds.stage(resource, "mls", [record], { cursor: String(i) });
      await one.builds.publish([resource]);
      await other.commit([listing("a", "before"), ...records.slice(3), listing("z", "gone")]);
      await other.commit([...records.slice(0, 3), removal("z")]);
      await other.builds.publish([resource]);
      const hashes = [await one.builds.current(resource), await other.builds.current(resource)];
      expect(hashes[0]?.sha256).toBe(hashes[1]?.sha256);
      await other.commit([removal("a"), { ...(records[0] as StoredRecord), datasetId: oregon }]);
      await other.builds.publish([resource]);
      expect((await other.builds.current(resource))?.sha256).not.toBe(hashes[0]?.sha256);
      await one.close();
      await other.close();
    });

    test("is served again after a rollback, with its sources", () =>
      withEmpty(harness, async (store) => {
        const { builds } = store;
        await builds.stage(resource, "mls", [listing("a", "1"), listing("b", "1"), listing("c", "1")], {
          cursor: "1",
        });
        await builds.publish([resource]);
        const [first] = await builds.list(resource);
        const { next } = await store.page(ask({ top: 1 }));
        await builds.stage(resource, "mls", [listing("a", "2"), removal("b"), listing("d", "2")], {
          cursor: "2",
        });
        await builds.publish([resource]);
        await builds.stage(resource, "mls", [listing("a", "3"), listing("e", "3")], { cursor: "3" });
        const rolled = await builds.rollback(resource, first?.id ?? "");
        const second = (await builds.list(resource))[1];
        expect(rolled).toEqual({
          ...first,
          id: rolled.id,
          checkpoint: 3,
          previous: second?.id,
          published: rolled.published,
        });
        expect(await builds.current(resource)).toEqual(rolled);
        expect(rolled.id).not.toBe(first?.id);
        expect(await citiesOf(store)).toEqual({ a: "1", b: "1", c: "1" });
        expect(await builds.cursor(resource, "mls")).toBe("1");
        expect(rowsOf(await store.page(ask({ select: "ListingKey" }), { from: next ?? undefined }))).toEqual([
          { ListingKey: "b" },
          { ListingKey: "c" },
        ]);
        await builds.rollback(resource, second?.id ?? "");
        expect(await citiesOf(store)).toEqual({ a: "2", c: "1", d: "2" });
        // Its source has them again, as it had then.
        await builds.stage(resource, "mls", [], { cursor: "4", fullSet: "whole" });
        expect(await builds.publish([resource])).toMatchObject({ commit: { removed: 3 } });
        expect(await store.count(ask())).toBe(0);
      }));

    test("of another resource, or none, is not served", () =>
      withEmpty(harness, async ({ builds }) => {
        await expect(builds.rollback(resource, "01J")).rejects.toMatchObject({ code: "unknown_build" });
      }));

    test("keeps its versions while it is one of the last", () =>
      withEmpty(harness, async (store) => {
        const { builds } = store;
        for (const i of [1, 2, 3, 4]) {
          await builds.stage(resource, "mls", [listing("a", String(i))], { cursor: String(i) });
          await builds.publish([resource]);
        }
        const [, , second, first] = await builds.list(resource);
        expect(await store.prune(Date.now() + 60_000)).toBe(1);
        const expired = builds.rollback(resource, first?.id ?? "");
        await expect(expired).rejects.toMatchObject({ code: "build_expired" });
        expect(await citiesOf(store)).toEqual({ a: "4" });
        await builds.rollback(resource, second?.id ?? "");
        expect(await citiesOf(store)).toEqual({ a: "2" });
        expect(await store.prune(Date.now() + 120_000, 1)).toBe(3);
      }));
  });

  test("readers see the state before a publication or the one after it", async () => {
    const [store, reader] = [await harness.open("published"), await harness.open("published")];
    const many = (city: string) => Array.from({ length: 1200 }, (_, i) => listing(String(i), city));
    const seen = new Set<string>();
    const read = async () => {
      const query = (city: string) => ask({ filter: `City eq '${city}'`, top: 1 });
      const { count } = await reader.page(query("1"), { count: true });
      const all = await reader.count(ask());
      seen.add(`${count === 0 ? "new" : count} of ${all}`);
    };
    await store.builds.stage(resource, "mls", many("1"), { cursor: "1" });
    await store.builds.publish([resource]);
    await store.builds.stage(resource, "mls", many("2"), { cursor: "2" });
    let isDone = false;
    const publishing = store.builds.publish([resource]).finally(() => {
      isDone = true;
    });
    while (!isDone) {
      await read();
      await setImmediate();
    }
    await publishing;
    await read();
    expect([...seen].filter((state) => !["1200 of 1200", "new of 1200"].includes(state))).toEqual([]);
    expect(seen).toContain("new of 1200");
    await store.close();
    await reader.close();
  });
}
