import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { provisionalIdProperty, type ResourceRules } from "@cadastre/entitlement";
import { bindFilter, type EntitySet, parseFilter } from "@cadastre/odata";
import type { StoredRecord, WritableStore } from "@cadastre/store";
import { openSqliteStore } from "@cadastre/store/sqlite";
import { entitySetOf, property } from "@cadastre/store/testing";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { PartStart } from "../../src/build/part-text.ts";
import { type ExportSource, entitySetReader, propertyReader, storeSource } from "../../src/index.ts";
import { partsOf, profile } from "../support/parts.ts";
import { scopeFor } from "../support/scope.ts";

const listings = entitySetOf("Property", [
  property("ListingKey", "Edm.String", { nullable: false }),
  property("ModificationTimestamp", "Edm.DateTimeOffset", { nullable: false }),
  property("OriginatingSystemName"),
  property("Placekey"),
  property("City"),
  property("AgentName"),
  property("ListPrice", "Edm.Decimal", { precision: 14, scale: 2 }),
  property("Rooms", "Edm.String", { collection: true, nullable: false }),
]);
/** The listings with what a model of another server may have besides: related entities and complex values. */
const linked: EntitySet = {
  ...listings,
  type: {
    ...listings.type,
    structured: new Map(
      (["Media", "Address"] as const).map((name) => [
        name,
        { name, target: () => listings.type, collection: name === "Media" },
      ]),
    ),
  },
};
const [datasetId, otherId] = ["9f0c6c0e-5a1b-4d57-8a35-3f8e1c2b7d10", "2b7e1f64-0c93-4e0a-b8d1-64a7f95c3e21"];
const rules: ResourceRules = { Property: { by: "dataset", hostReadable: [provisionalIdProperty] } };

/** What is shown of one dataset: no names of agents, and prices in thousands. */
const scope = scopeFor(
  {
    datasets: [
      {
        dataset_id: datasetId,
        resources: {
          Property: { fields: ["City", "ListPrice", "Rooms", "Placekey"], masks: { City: "null" } },
        },
      },
    ],
  },
  { entitySets: [listings], rules },
);

const recordOf = (nth: number, values: Readonly<Record<string, unknown>> = {}): StoredRecord => ({
  resource: "Property",
  datasetId: nth % 5 === 4 ? otherId : datasetId,
  record: {
    ListingKey: `K${String(nth).padStart(6, "0")}`,
    ModificationTimestamp: "2024-05-01T10:00:00.000Z",
    Placekey: `222-222@63v-${String(nth).padStart(3, "2")}-abc`,
    City: "Austin",
    AgentName: "canary",
    ListPrice: nth + 0.5,
    Rooms: nth % 2 === 0 ? ["Den"] : [],
    ...values,
  },
});

const folder = mkdtempSync(join(tmpdir(), "cadastre-source-"));
let store: WritableStore;
let source: ExportSource;
const register = { revision: 1 };
const text = profile({ format: "jsonl", compression: "none", partBytes: 8000 });

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
    threads: 1,
  });
  await store.commit(Array.from({ length: 2500 }, (_, nth) => recordOf(nth)));
  const identities = { resolutions: async () => [], revision: async () => register.revision };
  source = storeSource(store, {
    listing: entitySetReader(store, listings),
    property: propertyReader({ store, entitySet: listings, identities }),
  });
});
afterAll(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

const textOf = (parts: Awaited<ReturnType<typeof partsOf>>) =>
  parts.map(({ bytes }) => bytes.toString()).join("");

describe("an entity set", () => {
  test("has the columns that the scope shows, with the types of the model", () => {
    expect(source.columns("listing", scope)?.map(({ name, type }) => [name, type])).toEqual([
      ["ListingKey", "string"],
      ["ModificationTimestamp", "timestamp"],
      ["OriginatingSystemName", "string"],
      ["Placekey", "string"],
      ["City", "string"],
      ["ListPrice", { decimal: [14, 2] }],
      ["Rooms", "string"],
    ]);
    expect(source.columns("weather", scope)).toBeUndefined();
  });

  test.each([
    "Media/any(m:m/City eq 'x')",
    "Media/all(m:m/ListPrice gt 1)",
    "Media/any()",
    "Media/$count gt 1",
    "Address/City eq 'x'",
    "Address ne null",
    "$it/Address/City eq 'x'",
    "contains(Address/City,'x')",
    "Rooms/any(r:r eq Address/City)",
  ])("takes no condition on what its records lead to, which no store could read: %s", async (filter) => {
    const links = scopeFor(
      { datasets: [{ dataset_id: datasetId, resources: { Property: { fields: "*" } } }] },
      { entitySets: [linked], rules },
    );
    const bind = () => entitySetReader(store, linked).bindFilter?.(links, filter);
    expect(bind).toThrow(expect.objectContaining({ code: "unknown_property", option: "filter" }));
    // They bind to the set as it is, before it is restricted.
    expect(() => bindFilter(parseFilter(filter), linked)).not.toThrow();
  });

  test("is read as of a checkpoint, whatever changes between two parts", async () => {
    const before = await partsOf(source, text, undefined, scope);
    const checkpoint = await source.checkpoint();
    const pinned = { ...source, checkpoint: async () => checkpoint };
    const rows = textOf(before)
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as object);
    expect(rows).toHaveLength(2000);
    expect(rows[1]).toEqual({
      ListingKey: "K000001",
      ModificationTimestamp: "2024-05-01T10:00:00.000Z",
      Placekey: "222-222@63v-221-abc",
      ListPrice: 1.5,
      Rooms: [],
    });
    expect(textOf(before)).not.toMatch(/canary|Austin/);
    await store.commit([
      { resource: "Property", datasetId: datasetId ?? "", removed: ["K000000"] },
      { resource: "Property", datasetId: otherId ?? "", removed: ["K002499"] },
      recordOf(1000, { ListPrice: 7 }),
      recordOf(100, { ListingKey: "K000999a" }),
    ]);
    const start: PartStart | null = before[0]?.end ?? null;
    if (start === null) throw new Error("one part is not enough");
    const rest = await partsOf(pinned, text, start, scope);
    const factsOf = (parts: typeof rest) => parts.map(({ facts }) => facts);
    expect(factsOf(rest)).toEqual(factsOf(before).slice(1));
    expect(factsOf(await partsOf(pinned, text, undefined, scope))).toEqual(factsOf(before));
    expect(textOf(await partsOf(source, text, undefined, scope)).includes("K000999a")).toBe(true);
  });

  test("is read on from any record", async () => {
    const checkpoint = await source.checkpoint();
    const columns = ["ListingKey"];
    const keysFrom = async (from: string | null) => {
      const keys: string[] = [];
      for await (const { lines } of source.read({ dataset: "listing", scope, columns, checkpoint, from }))
        keys.push(
          ...(Buffer.from(lines)
            .toString()
            .match(/K\d\w+/g) ?? []),
        );
      return keys;
    };
    const all = await keysFrom(null);
    await fc.assert(
      fc.asyncProperty(fc.nat(all.length - 1), async (nth) => {
        expect(await keysFrom(all[nth] ?? null)).toEqual(all.slice(nth + 1));
      }),
      { numRuns: 20 },
    );
  });

  test("gives its reading up with whoever reads", async () => {
    const checkpoint = await source.checkpoint();
    const request = { dataset: "listing", scope, columns: ["ListingKey"], checkpoint, from: null };
    for await (const { length } of source.read(request)) {
      expect(length).toBe(1000);
      break;
    }
    const gone = new AbortController();
    gone.abort();
    const reading = source.read({ ...request, signal: gone.signal })[Symbol.asyncIterator]();
    await expect(reading.next()).rejects.toMatchObject({ code: "query_canceled" });
    expect(store.waiting()).toBe(0);
  });
});

describe("properties", () => {
  const readAll = async (from: string | null) => {
    const checkpoint = await source.checkpoint();
    const columns = ["id", "list_price", "listing_keys"];
    const request = { dataset: "property", scope, columns, checkpoint, from };
    const batches: { readonly rows: readonly { readonly id: string }[]; readonly end: string }[] = [];
    for await (const { lines, length, end } of source.read(request)) {
      const rows = Buffer.from(lines).toString().trimEnd().split("\n");
      expect(rows).toHaveLength(length);
      batches.push({ rows: rows.map((row) => JSON.parse(row) as { id: string }), end });
    }
    return batches;
  };

  test("are rows in order of their ids, with the columns that were asked for, read on from any batch", async () => {
    const all = await readAll(null);
    const ids = all.flatMap(({ rows }) => rows.map(({ id }) => id));
    expect(all.length).toBeGreaterThan(1);
    expect(ids).toEqual(ids.toSorted());
    expect(Object.keys(all[0]?.rows[0] ?? {})).toEqual(["id", "list_price", "listing_keys"]);
    expect(await readAll(all[0]?.end ?? null)).toEqual(all.slice(1));
  });

  test("are not read on once an identity was resolved", async () => {
    const [first] = await readAll(null);
    register.revision = 2;
    await expect(readAll(first?.end ?? null)).rejects.toMatchObject({ code: "basis_changed" });
    expect(await readAll(null)).not.toEqual([]);
  });
});
