import { mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import type { ChainLink, Manifest } from "@cadastre/manifest";
import { ClientError } from "../errors.ts";
import { onDisk, syncFolder, writeAtomically } from "../fetch/disk.ts";
import { withLock } from "../fetch/lock.ts";
import { openSession } from "./duckdb.ts";
import { requireFolder } from "./folder.ts";
import {
  beginLake,
  dropExpired,
  expired,
  faultyFile,
  folderOfVersion,
  type LakeLedger,
  type LakeTable,
  ledgerFile,
  newLake,
  pruned,
  readLake,
  switchTo,
  tidyLake,
  workFolder,
} from "./lake-ledger.ts";
import { linkTable, syncAll, writeChanges, writeRows } from "./lake-tables.ts";
import { lastOf, linkOf, standingAmong, streamOf } from "./ledger.ts";
import { asTargetError, requireKnown } from "./sql-target.ts";
import type { TargetOptions } from "./table-place.ts";
import type { LoadableDelivery, LoadReport, LoadTarget, PurgedData } from "./target.ts";

/** The next version of the dataset: its ledger, and the function that writes its files. */
type NextVersion = Pick<LakeLedger, "loads"> & {
  readonly write: (to: string, from: string) => Promise<LakeLedger["tables"]>;
  /** True if no earlier version may be kept for readers. */
  readonly erases?: boolean;
};

/**
 * Opens a folder as one Parquet dataset that is kept current: `version-<number>/<table>/OriginatingSystemName=<system>/*.parquet`, where `latest.json`
 * names the version. A version never changes; the next one is written beside it, and the pointer is then replaced.
 */
export async function openLake(folder: string, { replaceCopy = false }: TargetOptions): Promise<LoadTarget> {
  await requireFolder(folder);
  const title = `parquet:${folder}`;
  /** Subscriptions whose copies this target has found. */
  const found = new Set<string>();
  // A killed run may have left versions to delete: after a purge they must not wait for the next load.
  await onDisk(folder, async () => dropExpired(folder, await readLake(folder)));
  const current = () => onDisk(folder, async () => (await readLake(folder)) ?? newLake());
  const standing = (lake: LakeLedger, delivery: ChainLink) => {
    const { manifest } = delivery;
    requireKnown(manifest.datasets.map(({ name }) => name));
    const state = standingAmong(delivery, entriesOf(lake, streamOf(manifest)));
    if (state === "new") requireOwn(lake, folder, manifest, replaceCopy);
    return state;
  };
  return {
    staging: undefined,
    requireFree: async (datasets) => {
      requireKnown(datasets);
      const lake = await current();
      if (!replaceCopy) for (const name of datasets) requireUnfollowed(lake, folder, name);
    },
    standing: async (delivery) => standing(await current(), delivery),
    load: (delivery) =>
      change<LoadReport>(folder, async (lake) => {
        const before = standing(lake, delivery);
        if (before !== "new") return { result: { standing: before, rowsBefore: 0 } };
        const { manifest } = delivery;
        const replaced = manifest.datasets.map(({ name }) => lake.tables[name]?.rows ?? 0);
        const rowsBefore = manifest.kind === "delta" ? 0 : replaced.reduce((sum, rows) => sum + rows, 0);
        const next = {
          loads: loadsWith(lake, delivery),
          write: (to: string, from: string) =>
            asTargetError(title, () => fill(lake, delivery, { to, from, folder })),
        };
        return { result: { standing: before, rowsBefore }, next };
      }),
    last: async (subscription) => {
      const lake = await current();
      const entry = lastOf(entriesOf(lake, subscription));
      if (entry === undefined && found.has(subscription)) throw new ClientError("copy_ended");
      if (entry === undefined) return undefined;
      const last = linkOf(entry);
      found.add(subscription);
      if (!replaceCopy || (await lakeFault(folder, lake, last.manifest)) === undefined) return last;
      await change(folder, async (locked) => ({
        result: undefined,
        next: without(locked, subscription).next,
      }));
      found.delete(subscription);
      return undefined;
    },
    requireIntact: async ({ manifest }) => {
      const fault = await lakeFault(folder, await current(), manifest);
      if (fault !== undefined) throw fault;
    },
    purge: (subscription) =>
      change(folder, async (lake) => {
        found.delete(subscription);
        const { deleted, next } = without(lake, subscription);
        const data: PurgedData = { deleted, left: [] };
        return { result: data, ...(entriesOf(lake, subscription).length === 0 ? {} : { next }) };
      }),
    close: async () => {},
  };
}

const entriesOf = (lake: LakeLedger, stream: string): LakeLedger["loads"] =>
  lake.loads.filter((load) => load.stream === stream);

/** Returns the fault of a subscription's copy: `table_foreign` if a table or a file of one is gone. */
export async function lakeFault(
  folder: string,
  lake: LakeLedger,
  manifest: Manifest,
): Promise<ClientError | undefined> {
  for (const { name } of manifest.datasets) {
    const table = lake.tables[name];
    const isOwn = table?.stream === streamOf(manifest);
    const fault = isOwn ? await faultyFile(folder, lake.version, table) : join(folder, name);
    if (fault !== undefined) return new ClientError("table_foreign", { table: fault });
  }
  return undefined;
}

/** @throws {ClientError} `table_foreign`, `table_followed` */
function requireOwn(lake: LakeLedger, folder: string, manifest: Manifest, replaceCopy: boolean): void {
  const stream = streamOf(manifest);
  for (const { name } of manifest.datasets) {
    const owner = lake.tables[name]?.stream;
    if (owner === stream) continue;
    if (manifest.kind === "delta") throw new ClientError("table_foreign", { table: join(folder, name) });
    if (!replaceCopy) requireUnfollowed(lake, folder, name);
  }
}

/** @throws {ClientError} `table_followed` if a table holds the copy of a subscription */
function requireUnfollowed(lake: LakeLedger, folder: string, name: string): void {
  const owner = lake.tables[name]?.stream;
  const last = owner === undefined ? undefined : lastOf(entriesOf(lake, owner));
  if (owner === undefined || last === undefined || linkOf(last).manifest.subscriptionId === null) return;
  throw new ClientError("table_followed", {
    table: join(folder, name),
    subscription: owner,
    options: "another folder",
  });
}

/** Returns the ledger's deliveries with another one, and without those of streams whose tables it takes. */
function loadsWith(lake: LakeLedger, { manifest, bytes, sha256 }: LoadableDelivery): LakeLedger["loads"] {
  const stream = streamOf(manifest);
  const taken = new Set(manifest.datasets.map(({ name }) => lake.tables[name]?.stream));
  const entry = {
    stream,
    generation: manifest.generation,
    sequence: manifest.sequence,
    sha256,
    manifest: new TextDecoder().decode(bytes),
    loadedAt: new Date().toISOString(),
  };
  const kept = lake.loads.filter((load) => load.stream === stream || !taken.has(load.stream));
  return pruned([...kept, entry]);
}

/** Writes the tables of the next version, and returns them. */
async function fill(
  lake: LakeLedger,
  delivery: LoadableDelivery,
  { to, from, folder }: { readonly to: string; readonly from: string; readonly folder: string },
): Promise<LakeLedger["tables"]> {
  const { manifest } = delivery;
  const stream = streamOf(manifest);
  const tables: Record<string, LakeTable> = {};
  const ended = new Set(manifest.datasets.map(({ name }) => lake.tables[name]?.stream));
  for (const [name, table] of Object.entries(lake.tables)) {
    const isChanged = manifest.datasets.some((dataset) => dataset.name === name);
    // A seed takes away what its stream, or one that it ends, has of other datasets.
    const isDropped = manifest.kind !== "delta" && (table.stream === stream || ended.has(table.stream));
    if (isChanged || isDropped) continue;
    await linkTable({ folder: from, table }, to);
    tables[name] = table;
  }
  const session = await openSession(join(folder, workFolder, "next", "load.duckdb"), {});
  try {
    for (const dataset of manifest.datasets) {
      const writing = { session, delivery, dataset, to };
      const before = lake.tables[dataset.name];
      const facts = { stream, deliveryId: manifest.deliveryId, asOf: manifest.window.asOf };
      const { rowCount, removalCount } = dataset;
      if (manifest.kind !== "delta" || before === undefined) {
        tables[dataset.name] = { ...facts, rows: rowCount, files: await writeRows(writing) };
      } else if (rowCount + removalCount === 0) {
        await linkTable({ folder: from, table: before }, to);
        tables[dataset.name] = { ...before, ...facts };
      } else {
        const { files, rows } = await writeChanges(writing, { folder: from, table: before });
        tables[dataset.name] = { ...facts, rows, files };
      }
    }
  } finally {
    await session.close();
  }
  return tables;
}

/** Returns the next version without the tables of a subscription, and what is deleted with them. */
function without(
  lake: LakeLedger,
  subscription: string,
): { readonly deleted: PurgedData["deleted"]; readonly next: NextVersion } {
  const own = Object.entries(lake.tables).filter(([, table]) => table.stream === subscription);
  const others = Object.entries(lake.tables).filter(([, table]) => table.stream !== subscription);
  return {
    deleted: own.map(([name, { rows }]) => ({ name, rows })),
    next: {
      loads: lake.loads.filter(({ stream }) => stream !== subscription),
      erases: true,
      write: async (to, from) => {
        for (const [, table] of others) await linkTable({ folder: from, table }, to);
        return Object.fromEntries(others);
      },
    },
  };
}

const longAgo = new Date(0).toISOString();

/** Runs a change of the dataset, excluding others, and makes the version that it writes the current one. */
function change<T>(
  folder: string,
  work: (lake: LakeLedger) => Promise<{ readonly result: T; readonly next?: NextVersion }>,
): Promise<T> {
  return onDisk(folder, () =>
    withLock(join(folder, workFolder, "load"), async () => {
      const lake = (await readLake(folder)) ?? (await beginLake(folder));
      const version = await tidyLake(folder, lake);
      const { result, next } = await work(lake);
      if (next === undefined) return result;
      const to = join(folder, workFolder, "next", "version");
      await mkdir(to, { recursive: true });
      const tables = await next.write(to, join(folder, folderOfVersion(lake.version)));
      const before = lake.version === 0 ? [] : [{ version: lake.version, at: new Date().toISOString() }];
      const superseded = [...expired(lake.superseded).keep, ...before].map((one) =>
        next.erases ? { ...one, at: longAgo } : one,
      );
      const ledger = { lake: lake.lake, version, loads: next.loads, tables, superseded };
      await writeAtomically(join(to, ledgerFile), JSON.stringify(ledger));
      await syncAll(to);
      await rename(to, join(folder, folderOfVersion(version)));
      await syncFolder(folder);
      await switchTo(folder, ledger);
      await rm(join(folder, workFolder, "next"), { recursive: true, force: true });
      await dropExpired(folder, ledger);
      return result;
    }),
  );
}
