import { describe, expect, test } from "vitest";
import type { WritableStore } from "../../src/index.ts";
import { askHomes, homeRecord, homesResource } from "../support/homes.ts";
import {
  ask,
  everything,
  listing,
  oregon,
  records,
  removal,
  scopeOf,
  stored,
  texas,
} from "../support/listings.ts";
import { type Harness, readKeys, rowsOf, withEmpty } from "./harness.ts";

const resource = "Property";

/** Publishes the records of both datasets, each from a source of its own. */
async function publishBoth({ builds }: WritableStore): Promise<void> {
  for (const [source, dataset] of [
    ["of texas", texas],
    ["of oregon", oregon],
  ] as const) {
    const own = records.filter(({ datasetId }) => datasetId === dataset);
    await builds.stage(resource, source, own, { cursor: "1" });
  }
  await builds.publish([resource], () => ({ passed: true, evidence: { gates: 1 } }));
}

/** A dataset whose licence ends. */
export function retirement(harness: Harness): void {
  describe("a retired dataset", () => {
    test("has no records any more, as after any other removal", () =>
      withEmpty(harness, async (store) => {
        const { builds } = store;
        await publishBoth(store);
        const before = await builds.current(resource);
        const { next } = await store.page(ask({ top: 1 }));
        expect(await builds.retire(oregon)).toEqual({ checkpoint: 2, written: 0, unchanged: 0, removed: 3 });
        expect(await readKeys(store, {})).toEqual(["a", "b", "c"]);
        expect(await store.count(ask({}, scopeOf({ [oregon]: "*" })))).toBe(0);
        const read = { asOf: 1, until: 2 };
        expect(await readKeys(store, {}, everything, read)).toEqual(["d", "e", "f"]);
        expect(await readKeys(store, {}, everything, { asOf: 1 })).toHaveLength(6);
        // A walk that has begun skips what was deleted.
        const rest = await store.page(ask({ select: "ListingKey" }), { from: next ?? undefined });
        expect(rowsOf(rest)).toEqual([{ ListingKey: "b" }, { ListingKey: "c" }]);
        const other = await builds.current(resource);
        expect(other).toMatchObject({
          checkpoint: 2,
          previous: before?.id,
          records: 3,
          evidence: { gates: 1 },
          cursors: { "of texas": "1" },
        });
        expect(await builds.verify(resource)).toEqual([]);
        expect(await builds.cursor(resource, "of oregon")).toBeNull();
        expect(await builds.retired()).toEqual([
          {
            datasetId: oregon,
            before: 1,
            time: expect.any(Number) as number,
            records: { Property: 3 },
            isPast: false,
          },
        ]);
        await expect(builds.retire(oregon)).rejects.toMatchObject({ code: "dataset_retired" });
      }));

    test("takes no records, staged or not, and leaves what is staged of others", () =>
      withEmpty(harness, async (store) => {
        const { builds } = store;
        await publishBoth(store);
        await builds.stage(resource, "of oregon", [listing("g", "Bend", oregon)], { cursor: "2" });
        await builds.stage(resource, "of texas", [listing("h", "Waco")], { cursor: "2" });
        await builds.retire(oregon);
        const late = [listing("i", "Waco"), listing("j", "Bend", oregon)];
        const refused = { code: "dataset_retired", details: oregon };
        await expect(builds.stage(resource, "of oregon", late, { cursor: "3" })).rejects.toMatchObject(
          refused,
        );
        await expect(store.commit(late)).rejects.toMatchObject(refused);
        expect(await store.count(ask())).toBe(3);
        await builds.publish([resource]);
        expect(await readKeys(store, {})).toEqual(["a", "b", "c", "h"]);
        expect(await builds.cursor(resource, "of texas")).toBe("2");
      }));

    test("is not retired if that is refused at the review of what it loses", () =>
      withEmpty(harness, async (store) => {
        await publishBoth(store);
        const seen: unknown[] = [];
        const retiring = store.builds.retire(oregon, (found) => {
          seen.push(found);
          throw new RangeError("no");
        });
        await expect(retiring).rejects.toThrow("no");
        expect(seen).toEqual([{ Property: 3 }]);
        expect(await store.count(ask())).toBe(6);
        expect(await store.builds.retired()).toEqual([]);
        expect(await store.builds.cursor(resource, "of oregon")).toBe("1");
      }));

    test("gets its records again, and the others keep what has changed meanwhile", () =>
      withEmpty(harness, async (store) => {
        const { builds } = store;
        await publishBoth(store);
        const rows = async () => rowsOf(await store.page(ask({}, scopeOf({ [oregon]: "*" }))));
        const before = await rows();
        await builds.retire(oregon);
        await builds.stage(resource, "of texas", [removal("a"), listing("h", "Waco")], { cursor: "2" });
        await builds.publish([resource]);
        const { checkpoint } = await builds.reinstate(oregon);
        expect(await readKeys(store, {})).toEqual(["b", "c", "d", "e", "f", "h"]);
        expect(await rows()).toEqual(before);
        expect(await readKeys(store, {}, everything, { asOf: checkpoint, since: 3 })).toEqual([
          "d",
          "e",
          "f",
        ]);
        expect(await builds.current(resource)).toMatchObject({
          records: 6,
          cursors: { "of texas": "2", "of oregon": "1" },
        });
        expect(await builds.verify(resource)).toEqual([]);
        expect(await builds.retired()).toEqual([]);
        await expect(builds.reinstate(oregon)).rejects.toMatchObject({ code: "dataset_not_retired" });
        await builds.stage(resource, "of oregon", [removal("d", oregon)], { after: "1", cursor: "2" });
        expect(await builds.publish([resource])).toMatchObject({ commit: { removed: 1 } });
      }));

    test("does not get them if others have their keys", () =>
      withEmpty(harness, async (store) => {
        await publishBoth(store);
        await store.builds.retire(oregon);
        await store.commit([listing("d", "Waco")]);
        const taken = { code: "key_of_another_dataset", details: "Property d" };
        await expect(store.builds.reinstate(oregon)).rejects.toMatchObject(taken);
        expect(await readKeys(store, {})).toEqual(["a", "b", "c", "d"]);
        expect(await store.builds.retired()).toHaveLength(1);
      }));

    test("is not served by the rollback to an earlier build", () =>
      withEmpty(harness, async (store) => {
        const { builds } = store;
        await publishBoth(store);
        const [first] = await builds.list(resource);
        await builds.retire(oregon);
        const rollback = () => builds.rollback(resource, first?.id ?? "");
        await expect(rollback()).rejects.toMatchObject({ code: "dataset_retired", details: oregon });
        expect(await store.count(ask())).toBe(3);
        await builds.reinstate(oregon);
        await rollback();
        expect(await store.count(ask())).toBe(6);
      }));

    test("is reinstated without its records when they were pruned", () =>
      withEmpty(harness, async (store) => {
        const { builds } = store;
        await publishBoth(store);
        await builds.retire(oregon);
        await store.prune(Date.now() + 60_000, 1);
        expect(await builds.retired()).toMatchObject([{ isPast: true }]);
        await expect(builds.reinstate(oregon)).rejects.toMatchObject({ code: "retirement_expired" });
        expect(await store.count(ask())).toBe(3);
        await builds.reinstate(oregon, true);
        expect(await store.commit([listing("d", "Salem", oregon)])).toMatchObject({ written: 1 });
        expect(await readKeys(store, {})).toEqual(["a", "b", "c", "d"]);
      }));

    test("is forgotten once nothing can read the records, and builds before it cannot be served", () =>
      withEmpty(harness, async (store) => {
        const { builds } = store;
        await publishBoth(store);
        const [first] = await builds.list(resource);
        await builds.retire(oregon);
        await expect(builds.forgetRetired(oregon)).rejects.toMatchObject({ code: "retirement_recent" });
        await expect(builds.forgetRetired(texas)).rejects.toMatchObject({ code: "dataset_not_retired" });
        // The last three builds keep their versions.
        expect(await store.prune(Date.now() + 60_000)).toBe(0);
        await builds.forgetRetired(oregon);
        await expect(builds.reinstate(oregon)).rejects.toMatchObject({ code: "retirement_expired" });
        await expect(builds.rollback(resource, first?.id ?? "")).rejects.toMatchObject({
          code: "build_expired",
        });
        await builds.reinstate(oregon, true);
        await builds.stage(resource, "of oregon", [listing("d", "Salem", oregon)], { cursor: "1" });
        await builds.publish([resource]);
        expect(await builds.verify(resource)).toEqual([]);
        expect(await readKeys(store, {})).toEqual(["a", "b", "c", "d"]);
      }));

    test("without records is retired without a commit", () =>
      withEmpty(harness, async (store) => {
        await store.commit(records.slice(0, 3));
        expect(await store.builds.retire(oregon)).toMatchObject({ checkpoint: 1, removed: 0 });
        expect(await store.builds.retired()).toMatchObject([{ before: 1, records: {}, isPast: true }]);
        await expect(store.commit(records)).rejects.toMatchObject({ code: "dataset_retired" });
        expect(await store.builds.reinstate(oregon)).toMatchObject({ checkpoint: 1, written: 0 });
        expect(await store.commit(records)).toMatchObject({ written: 3 });
      }));

    test("without records any more is forgotten only once nothing can read those it had", () =>
      withEmpty(harness, async (store) => {
        const { builds } = store;
        await publishBoth(store);
        await builds.stage(
          resource,
          "of oregon",
          ["d", "e", "f"].map((key) => removal(key, oregon)),
          { cursor: "2" },
        );
        await builds.publish([resource]);
        await builds.retire(oregon);
        expect(await builds.retired()).toMatchObject([{ records: {}, isPast: false }]);
        await expect(builds.forgetRetired(oregon)).rejects.toMatchObject({ code: "retirement_recent" });
        expect(await readKeys(store, {}, everything, { asOf: 1 })).toHaveLength(6);
      }));

    test("is reinstated without moving the sources of another one", () =>
      withEmpty(harness, async (store) => {
        const { builds } = store;
        await publishBoth(store);
        await builds.retire(texas);
        await builds.retire(oregon);
        await builds.reinstate(texas);
        expect(await builds.cursor(resource, "of texas")).toBe("1");
        expect(await builds.cursor(resource, "of oregon")).toBeNull();
        await builds.reinstate(oregon, true);
        expect(await builds.cursor(resource, "of oregon")).toBeNull();
      }));

    test("leaves no part of a full set of a source of two datasets", () =>
      withEmpty(harness, async (store) => {
        const { builds } = store;
        await builds.stage(resource, "of both", records, { fullSet: "begins", cursor: "1" });
        await builds.retire(oregon);
        await builds.publish([resource]);
        expect(await readKeys(store, {})).toEqual([]);
        expect(await builds.cursor(resource, "of both")).toBeNull();
      }));

    test("of several resources, with a spatial index", () =>
      withEmpty(
        harness,
        async (store) => {
          const home = (key: string, isOther: boolean) => homeRecord({ key, isOther, place: [-97.7, 30.2] });
          await store.commit([...records, home("x", false), home("y", true)]);
          const near = async () =>
            rowsOf(
              await store.page(
                askHomes({
                  filter: "geo.distance(Place,geography'SRID=4326;POINT(-97.7 30.2)') lt 100",
                }),
              ),
            ).map(({ HomeKey }) => HomeKey);
          expect(await near()).toEqual(["x", "y"]);
          expect(await store.builds.retire(oregon)).toMatchObject({ removed: 4 });
          expect(await store.builds.retired()).toMatchObject([{ records: { Property: 3, Home: 1 } }]);
          expect(await near()).toEqual(["x"]);
          expect(await store.builds.reinstate(oregon)).toMatchObject({ written: 4 });
          expect(await near()).toEqual(["x", "y"]);
        },
        { resources: [stored, homesResource] },
      ));
  });
}
