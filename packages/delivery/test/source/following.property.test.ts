import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ResourceGrant, ResourceRules, Scope } from "@cadastre/entitlement";
import type { Row } from "@cadastre/odata";
import type { WritableStore } from "@cadastre/store";
import { openSqliteStore } from "@cadastre/store/sqlite";
import { entitySetOf, property } from "@cadastre/store/testing";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  type ExportSource,
  entitySetReader,
  followingReader,
  selectedFollowing,
  selectedRecords,
  storeSource,
} from "../../src/index.ts";
import { scopeFor } from "../support/scope.ts";

const { CASES, SEED } = process.env;
const parameters = {
  numRuns: Number(CASES ?? 40),
  ...(SEED === undefined ? {} : { seed: Number(SEED) }),
};

const setOf = (name: string, key: string, link: string) =>
  entitySetOf(name, [
    property(key, "Edm.String", { nullable: false }),
    property("ModificationTimestamp", "Edm.DateTimeOffset", { nullable: false }),
    property("OriginatingSystemName"),
    property(link),
    property("Value"),
  ]);

const sets = {
  Property: setOf("Property", "ListingKey", "City"),
  Media: setOf("Media", "MediaKey", "ResourceRecordKey"),
  MediaAsset: setOf("MediaAsset", "MediaAssetId", "MediaKey"),
};
const entitySets = Object.values(sets);
const dataset_id = "9f0c6c0e-5a1b-4d57-8a35-3f8e1c2b7d10";
const rules: ResourceRules = {
  Property: { by: "dataset" },
  Media: { by: "dataset" },
  MediaAsset: { by: "dataset" },
};
const grant = { Property: { fields: "*" }, Media: { fields: "*" }, MediaAsset: { fields: "*" } } as const;
const scopeWith = (resources: Readonly<Record<string, ResourceGrant>>): Scope =>
  scopeFor({ datasets: [{ dataset_id, resources }] }, { entitySets, rules });
const scope = scopeWith(grant);

const datasets = {
  listing: { set: "Property", key: "ListingKey", link: "City" },
  listing_media: { set: "Media", key: "MediaKey", link: "ResourceRecordKey" },
  media_assets: { set: "MediaAsset", key: "MediaAssetId", link: "MediaKey" },
} as const;
type Dataset = keyof typeof datasets;

const names: Readonly<Record<Dataset, readonly string[]>> = {
  listing: ["a", "b", "\ue000", "😀"],
  listing_media: ["m", "n", "o", "p", "😀"],
  media_assets: ["x", "y", "z"],
};
/** Keys that the records of a dataset may be linked to. */
const links: Readonly<Record<Dataset, readonly (string | null)[]>> = {
  listing: ["Austin", "Bend"],
  listing_media: [...names.listing, "none", null],
  media_assets: [...names.listing_media, null],
};

const edit = fc.constantFrom(...(Object.keys(datasets) as Dataset[])).chain((dataset) =>
  fc.record({
    dataset: fc.constant(dataset),
    name: fc.constantFrom(...names[dataset]),
    link: fc.constantFrom(...links[dataset]),
    value: fc.constantFrom("1", "2"),
    isRemoved: fc.boolean(),
  }),
);
type Edit = typeof edit extends fc.Arbitrary<infer Given> ? Given : never;

const changeOf = ({ dataset, name, link, value, isRemoved }: Edit) => {
  const { set, key, link: field } = datasets[dataset];
  const record = {
    [key]: name,
    [field]: link,
    Value: value,
    ModificationTimestamp: "2024-05-01T10:00:00.000Z",
  };
  return isRemoved
    ? { resource: set, datasetId: dataset_id, removed: [name] }
    : { resource: set, datasetId: dataset_id, record };
};

const folder = mkdtempSync(join(tmpdir(), "cadastre-following-"));
let store: WritableStore;
let source: ExportSource;
beforeAll(async () => {
  store = await openSqliteStore({
    file: join(folder, "store.sqlite"),
    resources: entitySets.map((entitySet) => ({
      entitySet,
      columns: ["ModificationTimestamp"],
      indexes: [],
      hidden: [],
    })),
    threads: 0,
  });
  const ofListing = {
    store,
    entitySet: sets.Media,
    link: "ResourceRecordKey",
    selected: selectedRecords(store, sets.Property),
  };
  const ofMedia = {
    store,
    entitySet: sets.MediaAsset,
    link: "MediaKey",
    selected: selectedFollowing(ofListing),
  };
  source = storeSource(store, {
    listing: entitySetReader(store, sets.Property),
    listing_media: followingReader(ofListing),
    media_assets: followingReader(ofMedia),
  });
});
afterAll(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

type Read = Parameters<ExportSource["read"]>[0];

/** Reads lines by their keys; begins anew after the first batch, where it ended. */
async function linesOf(request: Omit<Read, "from">): Promise<ReadonlyMap<string, string>> {
  const { key } = datasets[request.dataset as Dataset];
  const found = new Map<string, string>();
  let from: string | null | undefined = null;
  while (from !== undefined) {
    let end: string | undefined;
    for await (const batch of source.read({ ...request, from })) {
      for (const line of Buffer.from(batch.lines).toString().split("\n").slice(0, -1)) {
        const name = String((JSON.parse(line) as Row)[key]);
        expect(found.has(name), "a key comes once").toBe(false);
        found.set(name, line);
      }
      ({ end } = batch);
      break;
    }
    from = end;
  }
  return found;
}

const filter = "City eq 'Austin' and Value eq '1'";

test("changes of what is filtered, and of what belongs to it, make what a fresh read gives", async () => {
  const histories = fc.array(fc.array(edit, { maxLength: 6 }), { minLength: 2, maxLength: 6 });
  const columns = fc.constantFrom(["Value"], []);
  await fc.assert(
    fc.asyncProperty(histories, columns, async (history, more) => {
      const copies = new Map<string, Map<string, string>>();
      let since: number | undefined;
      for (const edits of history) {
        await store.commit(edits.filter((one, i) => !edits.slice(i + 1).some(isSame(one))).map(changeOf));
        const checkpoint = await store.checkpoint();
        for (const [dataset, { key }] of Object.entries(datasets)) {
          const request = { dataset, scope, columns: [key, ...more], checkpoint, filter };
          const fresh = await linesOf(request);
          const copy = copies.get(dataset) ?? new Map(fresh);
          copies.set(dataset, copy);
          if (since === undefined) continue;
          const rows = await linesOf({ ...request, changes: { since, content: "rows" } });
          const removals = await linesOf({
            ...request,
            columns: [key],
            changes: { since, content: "removals" },
          });
          for (const [name, line] of rows) {
            expect(copy.get(name), "a row is a change").not.toBe(line);
            copy.set(name, line);
          }
          for (const name of removals.keys())
            expect(copy.delete(name), "what is removed was there").toBe(true);
          expect(Object.fromEntries(copy)).toEqual(Object.fromEntries(fresh));
        }
        since = checkpoint;
      }
    }),
    parameters,
  );
}, 120_000);

const isSame =
  ({ dataset, name }: Edit) =>
  (other: Edit) =>
    other.dataset === dataset && other.name === name;

test("a record whose link is hidden or masked belongs to nothing", async () => {
  const one = (dataset: Dataset, name: string, link: string): Edit => ({
    dataset,
    name,
    link,
    value: "1",
    isRemoved: false,
  });
  await store.commit(
    [one("listing", "a", "Austin"), one("listing_media", "m", "a"), one("media_assets", "x", "m")].map(
      changeOf,
    ),
  );
  const checkpoint = await store.checkpoint();
  const read = async (by: Scope) =>
    Promise.all(
      Object.entries(datasets).map(async ([dataset, { key }]) =>
        (await linesOf({ dataset, scope: by, columns: [key], checkpoint, filter })).has(
          { listing: "a", listing_media: "m", media_assets: "x" }[dataset] ?? "",
        ),
      ),
    );
  expect(await read(scope)).toEqual([true, true, true]);
  expect(await read(scopeWith({ ...grant, Media: { fields: ["Value"] } }))).toEqual([true, false, false]);
  const masked = { fields: "*", masks: { ResourceRecordKey: "null" } } as const;
  expect(await read(scopeWith({ ...grant, Media: masked }))).toEqual([true, false, false]);
  expect(await read(scopeWith({ ...grant, MediaAsset: { fields: ["Value"] } }))).toEqual([true, true, false]);
});
