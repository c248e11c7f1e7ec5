import { visibleEntitySet } from "@cadastre/entitlement";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { WritableStore } from "../../src/index.ts";
import {
  changedProperties,
  identitiesOf,
  type PropertyView,
  propertyColumns,
  propertyRow,
  readProperties,
  readPropertiesOf,
  readProperty,
} from "../../src/property/index.ts";
import type { AllPropertyReads } from "../../src/property/read-properties.ts";
import {
  changeOf,
  everyId,
  listingResource,
  listingSet,
  noListings,
  placekeys,
  provisionals,
  wholeScope,
  worlds,
} from "../support/properties.ts";
import { type Harness, openEmpty } from "./harness.ts";

async function allOf(
  reads: AllPropertyReads,
  asOf: number,
  after?: string,
): Promise<readonly PropertyView[]> {
  const views: PropertyView[] = [];
  for await (const view of readProperties(reads, { asOf, ...(after === undefined ? {} : { after }) }))
    views.push(view);
  return views;
}

/** The properties that ids answer as, one by one. */
async function oneByOne(
  { resolutions, ...reads }: AllPropertyReads,
  asOf: number | undefined,
): Promise<readonly PropertyView[]> {
  const identities = identitiesOf(resolutions);
  const found = new Map<string, PropertyView>();
  for (const id of everyId) {
    const view = await readProperty(id, { ...reads, identities }, { asOf });
    if (view === undefined) continue;
    expect(found.get(view.id) ?? view).toEqual(view);
    found.set(view.id, view);
  }
  return [...found.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

const readsOf = (store: WritableStore) => ({ store, entitySet: listingSet });

/** All properties of a scope. */
export function properties(harness: Harness): void {
  describe("properties", () => {
    test("read one after the other are those that their ids answer as, then and from any id on", async () => {
      const store = await openEmpty(harness, { resources: [listingResource] });
      await fc.assert(
        fc.asyncProperty(worlds, fc.nat(), async ({ first, later, scope, resolutions }, at) => {
          await store.commit(noListings);
          await store.commit(first.flat());
          const reads = { ...readsOf(store), scope, resolutions };
          const expected = await oneByOne(reads, undefined);
          const asOf = await store.checkpoint();
          await store.commit(later.flat());
          expect(await allOf(reads, asOf)).toEqual(expected);
          expect(await oneByOne(reads, asOf)).toEqual(expected);
          const after = expected[at % Math.max(1, expected.length)]?.id;
          const rest = after === undefined ? expected : expected.filter(({ id }) => id > after);
          expect(await allOf(reads, asOf, after)).toEqual(rest);
          const columns = propertyColumns(visibleEntitySet(listingSet, scope)).map(({ name }) => name);
          for (const view of expected)
            for (const name of Object.keys(propertyRow(view))) expect(columns).toContain(name);
        }),
        { numRuns: Number(process.env["CASES"] ?? 3) },
      );
      await store.close();
    }, 120_000);

    test("that have changed are among those whose listings have, and every other one is the same", async () => {
      const store = await openEmpty(harness, { resources: [listingResource] });
      await fc.assert(
        fc.asyncProperty(worlds, async ({ first, later, scope, resolutions }) => {
          await store.commit(noListings);
          await store.commit(first.flat());
          const reads = { ...readsOf(store), scope, resolutions };
          const since = await store.checkpoint();
          await store.commit(later.flat());
          const asOf = await store.checkpoint();
          await store.commit(noListings);
          const [was, is] = [await allOf(reads, since), await allOf(reads, asOf)];
          const changed = await changedProperties(reads, { since, asOf });
          const same = (views: readonly PropertyView[]) => views.filter(({ id }) => !changed.includes(id));
          expect(same(is)).toEqual(same(was));
          for (const [views, checkpoint] of [
            [was, since],
            [is, asOf],
          ] as const) {
            const met: PropertyView[] = [];
            for await (const view of readPropertiesOf(changed, reads, { asOf: checkpoint })) met.push(view);
            expect(met).toEqual(views.filter(({ id }) => changed.includes(id)));
          }
        }),
        { numRuns: Number(process.env["CASES"] ?? 3) },
      );
      await store.close();
    }, 120_000);

    test("of very many listings are of the newest of their own, whatever has moved", async () => {
      const store = await openEmpty(harness, { resources: [listingResource] });
      const [placekey, provisional] = [placekeys[0], provisionals[0] ?? ""];
      const said = { isOther: false, provisional, StateOrProvince: "TX" };
      const timed = (i: number) =>
        new Date(Date.UTC(2025, 0, 1) + (i % 7) * 86_400_000 + (i % 3)).toISOString();
      await store.commit(
        Array.from({ length: 1800 }, (_, i) =>
          changeOf(`k${i}`, {
            ...said,
            ModificationTimestamp: timed(i),
            Placekey: i % 3 === 0 ? null : placekey,
            ListPrice: i,
          }),
        ),
      );
      const reads = { ...readsOf(store), scope: wholeScope, resolutions: [] };
      const asOf = await store.checkpoint();
      const views = await allOf(reads, asOf);
      expect(views.map(({ id }) => id)).toEqual([placekey, provisional]);
      expect(views).toEqual(await oneByOne(reads, asOf));
      expect(views.map(({ attributes }) => (attributes["listing_keys"] as unknown[]).length)).toEqual([
        500, 500,
      ]);
      await store.close();
    });
  });
}
