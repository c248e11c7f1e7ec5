import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { provisionalIdProperty, type ResourceRules } from "@cadastre/entitlement";
import type { Change, WritableStore } from "@cadastre/store";
import type { IdentityRegister } from "@cadastre/store/registry";
import { openSqliteStore } from "@cadastre/store/sqlite";
import { entitySetOf, property } from "@cadastre/store/testing";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { comparingReader, type DatasetReader, type ExportChanges, propertyReader } from "../../src/index.ts";
import { linesOfBatches } from "../support/keyed-lines.ts";
import { scopeFor } from "../support/scope.ts";

/** `CASES=5000` for more, `SEED=1` for the same ones again. */
const { CASES, SEED } = process.env;
const numRuns = Number(CASES ?? 15);
const parameters = SEED === undefined ? { numRuns } : { numRuns, seed: Number(SEED) };

const listings = entitySetOf("Property", [
  property("ListingKey", "Edm.String", { nullable: false }),
  property("ModificationTimestamp", "Edm.DateTimeOffset", { nullable: false }),
  property("OriginatingSystemName"),
  property("Placekey"),
  property("ListPrice", "Edm.Int64"),
  ...(provisionalIdProperty.derivedFrom ?? []).map((name) => property(name)),
]);
const [shown, hidden] = ["9f0c6c0e-5a1b-4d57-8a35-3f8e1c2b7d10", "2b7e1f64-0c93-4e0a-b8d1-64a7f95c3e21"];
const rules: ResourceRules = { Property: { by: "dataset", hostReadable: [provisionalIdProperty] } };
const scope = scopeFor(
  { products: ["property"], datasets: [{ dataset_id: shown, resources: { Property: { fields: "*" } } }] },
  { entitySets: [listings], rules },
);

const folder = mkdtempSync(join(tmpdir(), "cadastre-changed-properties-"));
let store: WritableStore;
let reader: DatasetReader;
let resolutions: Awaited<ReturnType<IdentityRegister["resolutions"]>> = [];
beforeAll(async () => {
  store = await openSqliteStore({
    file: join(folder, "store.sqlite"),
    resources: [
      {
        entitySet: listings,
        columns: ["ModificationTimestamp", "Placekey"],
        indexes: [["Placekey"], [provisionalIdProperty.name]],
        hidden: [provisionalIdProperty],
      },
    ],
    threads: 0,
  });
  const identities = { resolutions: async () => resolutions, revision: async () => 1 };
  reader = propertyReader({ store, entitySet: listings, identities });
});
afterAll(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

type Listing = {
  readonly Placekey: string | null;
  readonly provisional: string;
  readonly ListPrice: number;
  readonly isHidden?: boolean;
};

const placekeys = ["222-222@8t2-fjb-26k", "z22-222@8t2-fjb-26k"] as const;
const provisionals = ["1", "2", "3"].map((end) => `prov:0000000000000000000000000${end}`);

const put = (key: string, { provisional, isHidden, ...values }: Listing): Change => ({
  resource: "Property",
  datasetId: isHidden === true ? hidden : shown,
  record: { ListingKey: key, ModificationTimestamp: "2024-05-01T10:00:00.000Z", ...values },
  hidden: { [provisionalIdProperty.name]: provisional },
});
const remove = (key: string, datasetId = shown): Change => ({
  resource: "Property",
  datasetId,
  removed: [key],
});
const removals = (key: string): readonly Change[] => [remove(key), remove(key, hidden)];
/** Puts a listing that another dataset may have. */
const move = (key: string, listing: Listing): readonly Change[] => [
  remove(key, listing.isHidden === true ? shown : hidden),
  put(key, listing),
];

/** All changes after a checkpoint, those after a position. */
async function read(
  from: DatasetReader,
  since: number,
  content: ExportChanges["content"],
  after: string | null = null,
) {
  const columns = content === "rows" ? ["id", "list_price", "listing_keys"] : ["id", "removalReason"];
  const request = { dataset: "property", scope, columns, from: after, checkpoint: await store.checkpoint() };
  const lines: string[] = [];
  for await (const batch of from.read({ ...request, changes: { since, content } }))
    lines.push(...Buffer.from(batch.lines).toString().split("\n").slice(0, -1));
  return lines.map((line) => JSON.parse(line) as { readonly id: string; readonly removalReason?: string });
}

const keys = Array.from({ length: 12 }, (_, i) => `k${i}`);
const change = fc
  .tuple(
    fc.constantFrom(...keys),
    fc.option(
      fc.record({
        Placekey: fc.constantFrom(null, null, ...placekeys),
        provisional: fc.constantFrom(...provisionals),
        ListPrice: fc.nat(2),
        isHidden: fc.boolean(),
      }),
      { freq: 4 },
    ),
  )
  .map(([key, listing]) => (listing === null ? removals(key) : move(key, listing)));

const resolved = (id: string) =>
  fc.constantFrom(...placekeys).map((placekey) => ({ id, placekey, resolved: 0 }));

test("what changed of listings is what changed of properties", () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(change, { maxLength: 20 }),
      fc.array(change, { maxLength: 8 }),
      fc.option(fc.constantFrom(...placekeys, ...provisionals)),
      fc.subarray(provisionals).chain((ids) => fc.tuple(...ids.map(resolved))),
      async (first, later, from, known) => {
        resolutions = known;
        await store.commit(keys.flatMap(removals));
        await store.commit(first.flat());
        const since = await store.checkpoint();
        await store.commit(later.flat());
        const compared = comparingReader(reader, "id", (all) => linesOfBatches(reader.read(all), "id"));
        expect(await read(reader, since, "rows", from)).toEqual(await read(compared, since, "rows", from));
        const [own, theirs] = [
          await read(reader, since, "removals", from),
          await read(compared, since, "removals", from),
        ];
        expect(own.map(({ id }) => id)).toEqual(theirs.map(({ id }) => id));
      },
    ),
    parameters,
  ));

test("a provisional property is merged where its listing has got a Placekey that is shown", async () => {
  resolutions = [];
  await store.commit(keys.flatMap(removals));
  const [one, two, three] = provisionals.map((provisional) => ({
    Placekey: null,
    provisional,
    ListPrice: 1,
  }));
  if (one === undefined || two === undefined || three === undefined) throw new Error("there are less");
  await store.commit([put("k0", one), put("k1", two), put("k2", three)]);
  const since = await store.checkpoint();
  const Placekey = placekeys[0];
  await store.commit([
    put("k0", { ...one, Placekey }),
    ...move("k1", { ...two, Placekey, isHidden: true }),
    remove("k2"),
  ]);
  expect(await read(reader, since, "rows")).toEqual([{ id: Placekey, list_price: 1, listing_keys: ["k0"] }]);
  expect(await read(reader, since, "removals")).toEqual([
    { id: provisionals[0], removalReason: "merged" },
    { id: provisionals[1], removalReason: "deleted" },
    { id: provisionals[2], removalReason: "deleted" },
  ]);
});
