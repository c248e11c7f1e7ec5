import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openTarget, readCopyState } from "@cadastre/client";
import { beforeEach, expect, test } from "vitest";
import { deltaAfter, seedAfter, subscription } from "./support/chain.ts";
import { type DeliveryOptions, makeDelivery, type Row, type TestDelivery } from "./support/deliveries.ts";
import { load } from "./support/engines.ts";
import { emptyFolder } from "./support/folders.ts";
import { lakePointer, lakeSchema, readLakeTable } from "./support/lake.ts";
import { useServer } from "./support/server.ts";

const server = useServer();
let folder: string;
beforeEach(() => {
  folder = join(emptyFolder(), "lake");
});

const documents = { schema: lakeSchema };

const row = (key: string, name: string | null, price: number, more: Row = {}): Row => ({
  ListingKey: key,
  ListPrice: price,
  Changed: "2026-01-15T08:30:00.123Z",
  Cooling: ["a", 'b "c"'],
  Later: null,
  OriginatingSystemName: name,
  ...more,
});

const rows = [
  row("a1", "north/shore", 1.25),
  row("a2", "north/shore", 2),
  row("b1", "007", 3),
  row("c1", null, 4),
];
const seedOf = (options: DeliveryOptions = {}) =>
  seedAfter(undefined, {
    documents,
    datasets: { listing: rows, media_assets: [{ MediaAssetId: "m", Bytes: 7 }] },
    ...options,
  });

const loadAll = async (deliveries: readonly TestDelivery[], options = {}) => {
  for (const one of deliveries) await load(server(), `parquet:${folder}`, one, options);
};

const pointer = () => lakePointer(folder);
const read = (table?: string, path?: string) => readLakeTable(folder, table, path);

const keys = async (path?: string) => (await read("listing", path)).map((one) => one["ListingKey"]);

test("a seed and deltas of each format are one dataset by system, with the same types and cells", async () => {
  const copies: unknown[] = [];
  for (const format of ["jsonl", "csv", "parquet"] as const) {
    folder = join(emptyFolder(), "lake");
    const seed = await seedOf({ format });
    const one = await deltaAfter(seed, {
      format,
      documents,
      datasets: { listing: [row("a2", "007", 5, { Later: 9 }), row("d1", "new", 6)] },
      removals: { listing: ["c1"] },
    });
    await loadAll([seed, one]);
    copies.push(await read());
    expect(pointer().tables["listing"]).toMatchObject({ rows: 4, deliveryId: one.manifest.deliveryId });
    expect(readdirSync(join(folder, pointer().path, "listing")).toSorted()).toEqual([
      "OriginatingSystemName=007",
      "OriginatingSystemName=new",
      "OriginatingSystemName=north%2Fshore",
    ]);
  }
  expect(copies[1]).toEqual(copies[0]);
  expect(copies[2]).toEqual(copies[0]);
  expect(copies[0]).toEqual([
    expect.objectContaining({ ListingKey: "a1", ListPrice: "1.2500", OriginatingSystemName: "north/shore" }),
    expect.objectContaining({
      ListingKey: "a2",
      ListPrice: "5.0000",
      Later: "9",
      OriginatingSystemName: "007",
    }),
    expect.objectContaining({
      ListingKey: "b1",
      Changed: "2026-01-15 08:30:00.123+00",
      Cooling: ["a", 'b "c"'],
    }),
    expect.objectContaining({ ListingKey: "d1", Later: null, OriginatingSystemName: "new" }),
  ]);
});

test("a reader that has found a version goes on with it while others are written", async () => {
  const seed = await seedOf();
  await loadAll([seed]);
  const { path } = pointer();
  const unchanged = join(path, "listing/OriginatingSystemName=007/data_0.parquet");
  const before = readFileSync(join(folder, unchanged));
  const delta = await deltaAfter(seed, {
    documents,
    datasets: { listing: [] },
    removals: { listing: ["a1", "a2", "c1"] },
  });
  const empty = await deltaAfter(delta, {
    documents,
    datasets: { listing: [] },
    removals: { listing: ["b1"] },
  });
  await loadAll([delta]);
  expect(pointer().path).not.toBe(path);
  expect(await keys()).toEqual(["b1"]);
  expect(readFileSync(join(folder, unchanged.replace(path, pointer().path)))).toEqual(before);
  await loadAll([empty]);
  expect(await read()).toEqual([]);
  expect(await keys(path)).toEqual(["a1", "a2", "b1", "c1"]);
  expect(await read("media_assets")).toEqual([{ MediaAssetId: "m", Bytes: "7" }]);
  // A table without rows keeps its columns, and takes rows again.
  const again = await deltaAfter(empty, { documents, datasets: { listing: [row("z", "007", 1)] } });
  await loadAll([again]);
  expect(await keys()).toEqual(["z"]);
});

test("what comes again is done, and what does not fit is refused and changes nothing", async () => {
  const seed = await seedOf();
  await loadAll([seed]);
  const { path } = pointer();
  expect(await load(server(), `parquet:${folder}`, seed)).toBe("done");
  const refused = async (delivery: TestDelivery, code: string) => {
    await expect(loadAll([delivery])).rejects.toMatchObject({ code });
    expect(pointer().path).toBe(path);
    expect(readdirSync(folder).toSorted()).toEqual([".work", "latest.json", path].toSorted());
  };
  const delta = (options: DeliveryOptions) => deltaAfter(seed, { documents, ...options });
  await refused(
    await delta({ datasets: { listing: [] }, removals: { listing: ["unknown"] } }),
    "copy_differs",
  );
  await refused(
    await delta({ datasets: { listing: [row("a1", "007", 1)] }, removals: { listing: ["a1"] } }),
    "removal_contradicted",
  );
  await refused(
    await makeDelivery({ id: "other", documents, datasets: { listing: rows } }),
    "table_followed",
  );
  const bare = { datasets: { listing: [{ ListingKey: "x" }] } };
  await loadAll([await makeDelivery({ id: "other", documents, datasets: { listing: rows } })], {
    replaceCopy: true,
  });
  const last = pointer().path;
  await expect(loadAll([await makeDelivery({ id: "bare", ...bare })])).rejects.toMatchObject({
    code: "schema_missing",
  });
  expect(pointer().path).toBe(last);
  expect(existsSync(join(folder, last, "media_assets"))).toBe(false);
});

test("files of the user's are never replaced", async () => {
  mkdirSync(join(folder, "version-00000001"), { recursive: true });
  writeFileSync(join(folder, "version-00000001", "mine.parquet"), "mine");
  await loadAll([await seedOf()]);
  expect(pointer().path).toBe("version-00000002");
  expect(readFileSync(join(folder, "version-00000001", "mine.parquet"), "utf8")).toBe("mine");
  folder = emptyFolder();
  writeFileSync(join(folder, "latest.json"), '{"mine":true}');
  await expect(loadAll([await seedOf()])).rejects.toMatchObject({ code: "file_occupied" });
  expect(readdirSync(folder)).toEqual(["latest.json"]);
});

test("a file that is gone is told, and a new seed mends it", async () => {
  const seed = await seedOf();
  await loadAll([seed]);
  rmSync(join(folder, pointer().path, "listing/OriginatingSystemName=007"), { recursive: true });
  const target = await openTarget(`parquet:${folder}`);
  const last = await target.last(subscription);
  if (last === undefined) throw new Error("it was loaded");
  await expect(target.requireIntact(last)).rejects.toMatchObject({ code: "table_foreign" });
  expect(await readCopyState(`parquet:${folder}`)).toMatchObject([
    { stream: subscription, fault: { code: "table_foreign" } },
  ]);
  const again = await seedAfter(seed, { documents, datasets: { listing: rows } });
  await loadAll([again]);
  await target.requireIntact(again);
  expect(await readCopyState(`parquet:${folder}`)).toMatchObject([{ generation: 2, sequence: 0 }]);
  expect((await readCopyState(`parquet:${folder}`))[0]?.fault).toBeUndefined();
});

test("a purge leaves no version with the copy, and the tables of others", async () => {
  await loadAll([
    await makeDelivery({ id: "p", documents, datasets: { property: [{ Id: "1" }] } }),
    await seedOf(),
  ]);
  const target = await openTarget(`parquet:${folder}`);
  expect(await target.purge(subscription)).toEqual({
    deleted: [
      { name: "listing", rows: 4 },
      { name: "media_assets", rows: 1 },
    ],
    left: [],
  });
  expect(readdirSync(folder).toSorted()).toEqual([".work", "latest.json", pointer().path].toSorted());
  expect(readdirSync(join(folder, pointer().path)).toSorted()).toEqual(["_ledger.json", "property"]);
  expect(await target.last(subscription)).toBeUndefined();
  expect(await read("property")).toEqual([{ Id: "1" }]);
});
