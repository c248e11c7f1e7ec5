import { setTimeout } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import type { Candidate } from "../../src/index.ts";
import { listing, oregon, removal } from "../support/listings.ts";
import { type Harness, openEmpty, withEmpty } from "./harness.ts";

const resource = "Property";

/** Fingerprints of builds, computed from the changed records, and the rehearsals of publications. */
export function digests(harness: Harness): void {
  describe("the fingerprint of a build", () => {
    test("is that of the records, though versions that ended since the last build were pruned", () =>
      withEmpty(harness, async (store) => {
        const { builds } = store;
        await builds.stage(resource, "mls", [listing("a", "1"), listing("b", "1")], { cursor: "1" });
        await builds.publish([resource]);
        await store.commit([listing("a", "2"), removal("b")]);
        await store.commit([removal("a"), listing("a", "3", oregon)]);
        await store.prune(Date.now() + 60_000, 0);
        await builds.publish([resource]);
        const other = await openEmpty(harness);
        await other.commit([listing("a", "3", oregon)]);
        await other.builds.publish([resource]);
        const [expected] = await other.builds.list(resource);
        expect(await builds.current(resource)).toMatchObject({ records: 1, sha256: expected?.sha256 });
        expect(await builds.verify(resource)).toEqual([]);
        await other.close();
      }));
  });

  test("a record that is staged by its text is the one that is staged without it", () =>
    withEmpty(harness, async (store) => {
      const other = await openEmpty(harness);
      const changes = [listing("a", "1"), listing("b", "2", oregon)];
      const withTexts = changes.map((change) => ({
        ...change,
        text: JSON.stringify(change.record, null, 2),
      }));
      await store.builds.stage(resource, "mls", withTexts, { cursor: "1" });
      await other.builds.stage(resource, "mls", changes, { cursor: "1" });
      for (const { builds } of [store, other])
        await builds.publish([resource], undefined, { rehearse: true });
      const { records, sha256 } = (await other.builds.current(resource)) ?? {};
      expect(records).toBe(2);
      expect(await store.builds.current(resource)).toMatchObject({ records, sha256 });
      await other.close();
    }));

  describe("a rehearsal", () => {
    test("gives a publication that writes nothing the fingerprint that one without it computes", () =>
      withEmpty(harness, async (store) => {
        const { builds } = store;
        const other = await openEmpty(harness);
        for (const [i, changes] of [
          [listing("a", "1"), listing("b", "1", oregon), listing("c", "1")],
          [listing("a", "2"), removal("c")],
          [],
        ].entries()) {
          for (const one of [store, other]) await one.commit(changes);
          expect(
            await builds.publish([resource], undefined, { rehearse: true }),
            `publication ${i}`,
          ).toMatchObject({ published: true, commit: { written: 0, removed: 0 } });
          await other.builds.publish([resource]);
          const { records, sha256 } = (await other.builds.current(resource)) ?? {};
          expect(await builds.current(resource)).toMatchObject({ records, sha256 });
          expect(await builds.verify(resource)).toEqual([]);
        }
        await other.close();
      }));

    test("is repeated if another process has changed the records in the meantime", async () => {
      const name = "rehearsed";
      const [one, other] = [await harness.open(name), await harness.open(name)];
      await one.builds.stage(resource, "mls", [listing("a", "1"), listing("b", "1")], { cursor: "1" });
      await one.builds.publish([resource]);
      await one.builds.stage(resource, "mls", [listing("a", "2"), removal("b")], { cursor: "2" });
      const seen: Candidate[] = [];
      let publishing: Promise<unknown> | undefined;
      await other.commit(
        (async function* () {
          yield listing("b", "3");
          // It is rehearsed while the other commit is open, and waits for that one's end.
          publishing = one.builds.publish(
            [resource],
            (candidate) => {
              seen.push(candidate);
              return { passed: true, evidence: null };
            },
            { rehearse: true },
          );
          await setTimeout(300);
          yield listing("c", "3");
        })(),
      );
      expect(await publishing).toMatchObject({ published: true, commit: { written: 1, removed: 1 } });
      const [{ records, sha256, rehearsal } = {}] = seen;
      expect([seen.length, records]).toEqual([1, 2]);
      expect(rehearsal).toEqual({ records, sha256 });
      await one.close();
      await other.close();
    });

    test("of a full set counts what it removes, also of what another source staged before it", () =>
      withEmpty(harness, async ({ builds }) => {
        await builds.stage(resource, "mls", [listing("a", "1"), listing("b", "1"), listing("c", "1")], {
          cursor: "1",
        });
        await builds.publish([resource]);
        await builds.stage(resource, "other", [listing("a", "2")], { cursor: "1" });
        await builds.stage(resource, "mls", [listing("b", "2")], { cursor: "2", fullSet: "whole" });
        await builds.stage(resource, "other", [listing("c", "3")], { cursor: "2" });
        const seen: Candidate[] = [];
        const look = (candidate: Candidate) => {
          seen.push(candidate);
          return { passed: true, evidence: null };
        };
        expect(await builds.publish([resource], look, { rehearse: true })).toMatchObject({
          commit: { written: 2, removed: 1 },
        });
        const [{ records, sha256, rehearsal } = {}] = seen;
        expect(rehearsal).toEqual({ records, sha256 });
        expect(records).toBe(2);
      }));
  });
}
