import {
  compileScope,
  datasetProperty,
  type Entitlement,
  listingProperties,
  mediaPermissionProperty,
  restrict,
  type Scope,
  visibleEntitySet,
} from "@cadastre/entitlement";
import { bindQuery, type EntitySet, parseSelect, type Row } from "@cadastre/odata";
import { describe, expect, test } from "vitest";
import type { Change, SetChange, StoredRecord, StoredResource, WritableStore } from "../../src/index.ts";
import { entitySetOf, property } from "../../src/testing/entity-sets.ts";
import { testEntitlement, visibilityRuleOf } from "../../src/testing/grants.ts";
import { stored as listing, listings, oregon, texas } from "../support/listings.ts";
import { type Harness, rowsOf, withEmpty } from "./harness.ts";

const photos = entitySetOf("Media", [
  property("MediaKey", "Edm.String", { nullable: false }),
  property("ResourceRecordKey"),
  property("Permission", "Edm.String", { collection: true, nullable: false }),
]);

const files = entitySetOf("MediaAsset", [
  property("MediaAssetId", "Edm.String", { nullable: false }),
  property("MediaKey"),
]);

const { dataset, state, county, zip, originating_system } = listingProperties;
const resources: readonly StoredResource[] = [
  { ...listing, columns: [...listing.columns, "CountyOrParish", "PostalCode"] },
  {
    entitySet: photos,
    columns: ["ResourceRecordKey", "Permission"],
    indexes: [["ResourceRecordKey"]],
    hidden: Object.values(listingProperties),
    follows: {
      resource: "Property",
      key: "ResourceRecordKey",
      values: {
        [dataset.name]: datasetProperty.name,
        [state.name]: "StateOrProvince",
        [county.name]: "CountyOrParish",
        [zip.name]: "PostalCode",
        [originating_system.name]: "OriginatingSystemName",
      },
    },
  },
  {
    entitySet: files,
    columns: ["MediaKey"],
    indexes: [["MediaKey"]],
    hidden: [...Object.values(listingProperties), mediaPermissionProperty],
    follows: {
      resource: "Media",
      key: "MediaKey",
      values: {
        ...Object.fromEntries(Object.values(listingProperties).map(({ name }) => [name, name])),
        [mediaPermissionProperty.name]: "Permission",
      },
    },
  },
];

const photo = (key: string, of: string, Permission: readonly string[] = []): StoredRecord => ({
  resource: "Media",
  datasetId: texas,
  record: { MediaKey: key, ResourceRecordKey: of, Permission },
});
const fileOf = (key: string): StoredRecord => ({
  resource: "MediaAsset",
  datasetId: texas,
  record: { MediaAssetId: `file-${key}`, MediaKey: key },
});
const home = (key: string, place: Row, datasetId = texas): StoredRecord => ({
  resource: "Property",
  datasetId,
  record: {
    ListingKey: key,
    ModificationTimestamp: "2024-05-01T10:00:00.000Z",
    StateOrProvince: "TX",
    CountyOrParish: "Travis",
    PostalCode: "78701",
    OriginatingSystemName: "Lone Star MLS",
    ...place,
  },
});

const regions = {
  state: { kind: "state", value: "TX" },
  county: { kind: "county", value: "TX/Travis" },
  zip: { kind: "zip", value: "78701" },
  system: { kind: "originating_system", value: "Lone Star MLS" },
} as const satisfies Record<string, Entitlement["regions"][number]>;

/** Sees what lies in the region, of the Texan dataset alone. */
const scopeOf = (region: Entitlement["regions"][number]): Scope =>
  compileScope(
    {
      ...testEntitlement,
      regions: [region],
      datasets: [
        {
          dataset_id: texas,
          resources: { Property: { fields: "*" }, Media: { fields: "*" }, MediaAsset: { fields: "*" } },
        },
      ],
    },
    {
      entitySets: [listings, photos, files],
      rules: {
        Property: visibilityRuleOf("Property"),
        Media: visibilityRuleOf("Media"),
        MediaAsset: visibilityRuleOf("MediaAsset"),
      },
    },
  );
const inTexas = scopeOf(regions.state);

const query = (set: EntitySet, select: string, scope: Scope) =>
  restrict(bindQuery({ select: parseSelect(select), top: 100 }, visibleEntitySet(set, scope)), scope);

/** Keys of the photos that the scope sees; each of them is of a listing that it sees too. */
async function seenPhotos(store: WritableStore, scope = inTexas): Promise<readonly unknown[]> {
  const seen = rowsOf(await store.page(query(photos, "MediaKey,ResourceRecordKey", scope)));
  const homes = rowsOf(await store.page(query(listings, "ListingKey", scope)));
  const known = homes.map((row) => row["ListingKey"]);
  for (const row of seen) expect(known).toContain(row["ResourceRecordKey"]);
  return seen.map((row) => row["MediaKey"]);
}

/** Photos whose files the scope sees. */
const seenFiles = async (store: WritableStore, scope = inTexas): Promise<readonly unknown[]> =>
  rowsOf(await store.page(query(files, "MediaKey", scope))).map((row) => row["MediaKey"]);

let batches = 0;
async function publish(store: WritableStore, ...changes: readonly Change[]) {
  const names = [...new Set(changes.map(({ resource }) => resource))];
  for (const name of names) {
    const own = changes.filter(({ resource }) => resource === name);
    await store.builds.stage(name, "mls", own, { cursor: String(++batches) });
  }
  return store.builds.publish(names);
}

/** Two listings, with two photos of the first and one of the second. */
const start = (store: WritableStore) =>
  publish(store, photo("a1", "a"), photo("a2", "a"), photo("b1", "b"), home("a", {}), home("b", {}));

/** What a publication of these changes would take from each set and source; nothing is published, and nothing stays staged. */
async function lossesOf(store: WritableStore, ...changes: readonly Change[]) {
  await store.builds.stage("Property", "mls", changes, { cursor: String(++batches) });
  let found: readonly SetChange[] = [];
  await store.builds.publish(["Property"], async (candidate) => {
    found = (await candidate.setChanges()).filter(({ removed }) => removed > 0);
    return { passed: false, evidence: null };
  });
  await store.builds.discard("Property", "mls");
  return found.map(({ resource, source, before, removed }) => [resource, source, before, removed]);
}

/** Records that follow the one that they belong to. */
export function following(harness: Harness): void {
  const withHomes = (use: (store: WritableStore) => Promise<void>) => () =>
    withEmpty(
      harness,
      async (store) => {
        await start(store);
        expect(await seenPhotos(store)).toEqual(["a1", "a2", "b1"]);
        await use(store);
      },
      { resources },
    );

  describe("records that belong to another", () => {
    test.each<[string, keyof typeof regions, Row]>([
      ["state", "state", { StateOrProvince: "OK" }],
      ["no state", "state", { StateOrProvince: null }],
      ["county", "county", { CountyOrParish: "Hays" }],
      ["ZIP", "zip", { PostalCode: "78702" }],
      ["system", "system", { OriginatingSystemName: "Hill Country Exchange" }],
    ])("follow it into another %s and back", (_, kind, place) =>
      withHomes(async (store) => {
        const scope = scopeOf(regions[kind]);
        const moved = await publish(store, home("a", place));
        expect(moved).toMatchObject({ commit: { written: 3 }, builds: [{ resource: "Property" }] });
        expect(await seenPhotos(store, scope)).toEqual(["b1"]);
        await publish(store, home("a", {}));
        expect(await seenPhotos(store, scope)).toEqual(["a1", "a2", "b1"]);
      })(),
    );

    test(
      "do not follow a record of another dataset",
      withHomes(async (store) => {
        await publish(store, { resource: "Property", datasetId: texas, removed: ["a"] });
        await publish(store, home("a", {}, oregon));
        expect(await seenPhotos(store)).toEqual(["b1"]);
      }),
    );

    test(
      "are followed in turn by what belongs to them, in the same commit",
      withHomes(async (store) => {
        const both = async () => [await seenPhotos(store), await seenFiles(store)];
        const all = ["a1", "a2", "b1"];
        await publish(store, ...all.map(fileOf), fileOf("none"));
        expect(await both()).toEqual([all, all]);
        await publish(store, home("a", { StateOrProvince: "OK" }));
        expect(await both()).toEqual([["b1"], ["b1"]]);
        await publish(store, home("a", {}));
        expect(await both()).toEqual([all, all]);
        await publish(store, photo("a2", "a", ["Private"]));
        expect(await both()).toEqual([
          ["a1", "b1"],
          ["a1", "b1"],
        ]);
        await publish(
          store,
          { resource: "Media", datasetId: texas, removed: ["a1"] },
          photo("a2", "a", ["Public"]),
        );
        expect(await both()).toEqual([
          ["a2", "b1"],
          ["a2", "b1"],
        ]);
        await store.builds.rollback("Media", (await store.builds.list("Media")).at(-1)?.id ?? "");
        expect(await both()).toEqual([all, all]);
      }),
    );

    test(
      "are gone with it, and back with it",
      withHomes(async (store) => {
        await publish(store, { resource: "Property", datasetId: texas, removed: ["a"] });
        expect(await seenPhotos(store)).toEqual(["b1"]);
        await store.builds.rollback("Property", (await store.builds.current("Property"))?.previous ?? "");
        expect(await seenPhotos(store)).toEqual(["a1", "a2", "b1"]);
      }),
    );

    test(
      "say what it says now when an earlier build of them is served again",
      withHomes(async (store) => {
        const first = (await store.builds.current("Media"))?.id ?? "";
        await publish(store, { resource: "Media", datasetId: texas, removed: ["b1"] });
        await publish(store, home("a", { StateOrProvince: "OK" }));
        await store.builds.rollback("Media", first);
        expect(await seenPhotos(store)).toEqual(["b1"]);
      }),
    );

    test(
      "follow another one once they belong to it",
      withHomes(async (store) => {
        await publish(store, home("a", { StateOrProvince: "OK" }), photo("b1", "a"), photo("a2", "b"));
        expect(await seenPhotos(store)).toEqual(["a2"]);
      }),
    );

    test(
      "have no new version where nothing of it moves",
      withHomes(async (store) => {
        expect(await publish(store, home("a", { City: "Austin" }))).toMatchObject({ commit: { written: 1 } });
        expect(await publish(store, home("a", { City: "Austin" }))).toMatchObject({
          commit: { written: 0, unchanged: 1 },
        });
      }),
    );

    test(
      "count among what a publication removes when the other one is removed",
      withHomes(async (store) => {
        await publish(store, fileOf("a1"), fileOf("b1"));
        expect(await lossesOf(store, { resource: "Property", datasetId: texas, removed: ["a"] })).toEqual([
          ["Property", "mls", 2, 1],
          ["Media", "mls", 3, 2],
          ["MediaAsset", "mls", 2, 1],
        ]);
        expect(await lossesOf(store, home("a", { PostalCode: "78702" }), home("c", {}))).toEqual([]);
        await publish(store, { resource: "Property", datasetId: texas, removed: ["a"] });
        // What nobody could see before is not lost again.
        expect(await lossesOf(store, { resource: "Property", datasetId: texas, removed: ["b"] })).toEqual([
          ["Property", "mls", 1, 1],
          ["Media", "mls", 1, 1],
          ["MediaAsset", "mls", 1, 1],
        ]);
      }),
    );
  });
}
