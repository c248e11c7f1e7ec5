import fc from "fast-check";
import { expect, test } from "vitest";
import type { Change, WritableStore } from "../../src/index.ts";
import { BuildModel, type FullSet, type ModelChange } from "../support/build-model.ts";
import { ask, texas } from "../support/listings.ts";
import { type Harness, rowsOf, withEmpty } from "./harness.ts";

const resource = "Property";
const sources = ["mls", "other"];

const changeOf = ([key, City]: ModelChange): Change => {
  if (City === null) return { resource, removed: [key] };
  const ModificationTimestamp = "2024-05-01T10:00:00.000Z";
  return { resource, datasetId: texas, record: { ListingKey: key, ModificationTimestamp, City } };
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
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("discard" as const), source }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("rollback" as const), index: fc.nat({ max: 3 }) }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

async function take({ builds }: WritableStore, model: BuildModel, one: Step, cursor: string): Promise<void> {
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
      await builds.publish([resource]);
      return model.publish();
    case "refuse":
      await builds.publish([resource], () => ({ passed: false, evidence: null }));
      return;
    case "discard":
      await builds.discard(resource, one.source);
      return model.discard(one.source);
    case "rollback": {
      const earlier = (await builds.list(resource)).toReversed()[one.index];
      const rolled = builds.rollback(resource, earlier?.id ?? "");
      if (model.rollback(one.index)) expect((await rolled).sha256).toBe(earlier?.sha256);
      else await expect(rolled).rejects.toMatchObject({ code: "unknown_build" });
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
