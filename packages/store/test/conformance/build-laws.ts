import { createHash } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Candidate, Change, WritableStore } from "../../src/index.ts";
import { BuildModel, type FullSet, type ModelChange } from "../support/build-model.ts";
import { ask, oregon, texas } from "../support/listings.ts";
import { type Harness, rowsOf, withEmpty } from "./harness.ts";

const resource = "Property";
const sources = ["mls", "other"];

const changeOf = ([key, City]: ModelChange): Change => {
  const datasetId = key === "d" ? oregon : texas;
  if (City === null) return { resource, datasetId, removed: [key] };
  const ModificationTimestamp = "2024-05-01T10:00:00.000Z";
  return { resource, datasetId, record: { ListingKey: key, ModificationTimestamp, City } };
};

/** The changes, and then the end of their source's process. */
function* broken(changes: readonly ModelChange[]): Generator<Change> {
  for (const change of changes) yield changeOf(change);
  throw new Error("the source is gone");
}

const source = fc.constantFrom(...sources);
const change: fc.Arbitrary<ModelChange> = fc.tuple(
  fc.constantFrom("a", "b", "c", "d"),
  fc.option(fc.constantFrom("1", "2", "3"), { nil: null }),
);
const changes = fc.array(change, { maxLength: 4 });
const fullSet = fc.constantFrom<FullSet>(undefined, undefined, "begins", "ends", "whole");
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("stage" as const), source, changes, fullSet }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("break" as const), source, changes, fullSet }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("publish" as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("refuse" as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("commit" as const), changes }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("prune" as const), builds: fc.nat({ max: 1 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("discard" as const), source }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("rollback" as const), index: fc.nat({ max: 3 }) }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** Compares the fingerprint of a candidate with that of all of its records, and with the rehearsal. */
async function compareDigest(candidate: Candidate, model: BuildModel): Promise<void> {
  const { records, sha256, rehearsal } = candidate;
  let [count, sum] = [0, 0n];
  for await (const { datasetId, text } of candidate.all()) {
    count++;
    sum += BigInt(`0x${createHash("sha256").update(`${datasetId} ${text}`).digest("hex")}`);
  }
  const expected = (sum % (1n << 256n)).toString(16).padStart(64, "0");
  expect({ records, sha256 }).toEqual({ records: count, sha256: expected });
  expect(rehearsal).toEqual({ records: count, sha256: expected });
  const before = new Map<string | null, number>();
  for (const { source } of model.state.values()) before.set(source, (before.get(source) ?? 0) + 1);
  const changes = await candidate.setChanges();
  expect(new Map(changes.map((one) => [one.source, one.before]))).toEqual(before);
}

async function take(store: WritableStore, model: BuildModel, one: Step, cursor: string): Promise<void> {
  const { builds } = store;
  switch (one.kind) {
    case "stage": {
      const options = { cursor, fullSet: one.fullSet };
      const staged = builds.stage(resource, one.source, one.changes.map(changeOf), options);
      if (model.stage(one.source, one.changes, cursor, one.fullSet)) await staged;
      else await expect(staged).rejects.toMatchObject({ code: "set_not_begun" });
      return;
    }
    case "break": {
      const options = { cursor, fullSet: one.fullSet };
      await expect(builds.stage(resource, one.source, broken(one.changes), options)).rejects.toThrow();
      return;
    }
    case "publish":
    case "refuse": {
      const passed = one.kind === "publish";
      const check = async (candidate: Candidate) => {
        await compareDigest(candidate, model);
        return { passed, evidence: null };
      };
      expect(await builds.publish([resource], check, { rehearse: true })).toMatchObject({
        published: passed,
      });
      if (passed) model.publish();
      return;
    }
    case "commit":
      await store.commit(one.changes.map(changeOf));
      return model.commit(one.changes);
    case "prune":
      await store.prune(Date.now() + 60_000, one.builds);
      return;
    case "discard":
      await builds.discard(resource, one.source);
      return model.discard(one.source);
    case "rollback": {
      const earlier = (await builds.list(resource)).toReversed()[one.index];
      const rolled = await builds.rollback(resource, earlier?.id ?? "").catch((error: unknown) => error);
      if (earlier === undefined) expect(rolled).toMatchObject({ code: "unknown_build" });
      // The versions of an earlier build may have been pruned.
      else if (rolled instanceof Error) expect(rolled).toMatchObject({ code: "build_expired" });
      else {
        model.rollback(one.index);
        expect(rolled).toMatchObject({ sha256: earlier.sha256 });
      }
    }
  }
}

async function compare(store: WritableStore, model: BuildModel): Promise<void> {
  const rows = rowsOf(await store.page(ask({ select: "ListingKey,City", orderBy: "ListingKey" })));
  const expected = [...model.state].map(([ListingKey, { city }]) => ({ ListingKey, City: city }));
  expect(rows).toEqual(expected.toSorted((a, b) => (a.ListingKey < b.ListingKey ? -1 : 1)));
  for (const name of sources)
    expect(await store.builds.cursor(resource, name)).toBe(model.sourceOf(name).cursor);
  const builds = await store.builds.list(resource);
  expect(builds.map(({ records }) => records)).toEqual(
    model.builds.map(({ state }) => state.size).toReversed(),
  );
}

/** The laws of builds, whatever their history. */
export function buildLaws(harness: Harness): void {
  test("any history of batches, publications and rollbacks leaves what a plain model says", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 16 }), (steps) =>
        withEmpty(harness, async (store) => {
          const model = new BuildModel();
          for (const [i, one] of steps.entries()) {
            await take(store, model, one, String(i + 1));
            await compare(store, model);
          }
        }),
      ),
      { numRuns: Number(process.env["CASES"] ?? 1) },
    );
  }, 120_000);
}
