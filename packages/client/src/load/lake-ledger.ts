import { randomUUID } from "node:crypto";
import { lstat, readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { ClientError } from "../errors.ts";
import { unlessMissing, writeAtomically } from "../fetch/disk.ts";

/** The pointer to the current version. It is replaced in one step, and data and ledger with it. */
const pointerFile = "latest.json";
/** The ledger of a version. Readers of Parquet ignore names that begin so. */
export const ledgerFile = "_ledger.json";
/** Folder of a version that is being written, and of the lock. */
export const workFolder = ".work";

const count = z.int().nonnegative();
const instant = z.iso.datetime();

const tableShape = z.object({
  stream: z.string(),
  rows: count,
  deliveryId: z.string(),
  asOf: instant,
  /** Files below the folder of the version. */
  files: z.array(z.object({ name: z.string(), byteLength: count })),
});

const ledgerShape = z.object({
  /** Identifies the dataset: a version of another one is never deleted. */
  lake: z.uuid(),
  version: count,
  loads: z.array(
    z.object({
      stream: z.string(),
      generation: count,
      sequence: count,
      sha256: z.string(),
      /** Empty but for the last delivery of a stream. */
      manifest: z.string(),
      loadedAt: instant,
    }),
  ),
  tables: z.record(z.string(), tableShape),
  superseded: z.array(z.object({ version: count, at: instant })),
});

/** A version of a Parquet dataset: its tables, and the deliveries that they were made of. */
export type LakeLedger = z.infer<typeof ledgerShape>;
export type LakeTable = z.infer<typeof tableShape>;

/** For how long readers may go on with a version that was superseded, in milliseconds, and how many of them there are at most. */
const kept = { time: 15 * 60_000, versions: 8 } as const;

/** Deliveries that the ledger remembers of a stream, to recognise one that comes again. */
const remembered = 1000;

export const folderOfVersion = (version: number): string => `version-${String(version).padStart(8, "0")}`;

/** Returns the ledger of a dataset without tables. */
export const newLake = (lake: string = randomUUID()): LakeLedger => ({
  lake,
  version: 0,
  loads: [],
  tables: {},
  superseded: [],
});

/** Begins a dataset. Its id is kept, so that versions of a run that is killed before the first one is current are recognised. */
export async function beginLake(folder: string): Promise<LakeLedger> {
  const file = join(folder, workFolder, "lake-id");
  const before = z.uuid().safeParse(await readFile(file, "utf8").catch(unlessMissing)).data;
  const lake = newLake(before);
  if (before === undefined) await writeAtomically(file, lake.lake);
  return lake;
}

/**
 * Reads the current version of a dataset; undefined if the folder has none.
 *
 * @throws {ClientError} `file_occupied` if `latest.json` is a file of somebody else, `copy_damaged` if its version has no ledger
 */
export async function readLake(folder: string): Promise<LakeLedger | undefined> {
  const file = join(folder, pointerFile);
  const text = await readFile(file, "utf8").catch(unlessMissing);
  if (text === undefined) return undefined;
  const pointer = parsed(text, z.object({ lake: z.uuid(), version: count }));
  if (pointer === undefined) throw new ClientError("file_occupied", { file });
  const ledger = await ledgerIn(join(folder, folderOfVersion(pointer.version)));
  if (ledger?.lake !== pointer.lake) throw new ClientError("state_malformed", { file });
  return ledger;
}

async function ledgerIn(version: string): Promise<LakeLedger | undefined> {
  const text = await readFile(join(version, ledgerFile), "utf8").catch(unlessMissing);
  return text === undefined ? undefined : parsed(text, ledgerShape);
}

function parsed<T>(text: string, shape: z.ZodType<T>): T | undefined {
  try {
    return shape.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** Makes a version the current one, for readers and for the next load. */
export async function switchTo(folder: string, { lake, version, tables }: LakeLedger): Promise<void> {
  const facts: Record<string, Pick<LakeTable, "rows" | "asOf" | "deliveryId">> = {};
  for (const [name, { rows, asOf, deliveryId }] of Object.entries(tables))
    facts[name] = { rows, asOf, deliveryId };
  const pointer = { path: folderOfVersion(version), version, lake, tables: facts };
  await writeAtomically(join(folder, pointerFile), `${JSON.stringify(pointer, null, 2)}\n`);
}

/** Returns the ledger's deliveries, without those that need not be remembered. */
export function pruned(loads: LakeLedger["loads"]): LakeLedger["loads"] {
  const streams = [...new Set(loads.map(({ stream }) => stream))];
  return streams.flatMap((stream) => {
    const own = loads.filter((load) => load.stream === stream).slice(-remembered);
    return own.map((load, k) => (k === own.length - 1 ? load : { ...load, manifest: "" }));
  });
}

/** Splits superseded versions into those that readers may still be reading and those that can be deleted. */
export function expired(superseded: LakeLedger["superseded"]): {
  readonly keep: LakeLedger["superseded"];
  readonly drop: LakeLedger["superseded"];
} {
  const keep = superseded.slice(-kept.versions).filter(({ at }) => Date.now() - Date.parse(at) < kept.time);
  return { keep, drop: superseded.filter((one) => !keep.includes(one)) };
}

/** Deletes superseded versions that no reader may be reading any more. They stay listed until the next version. */
export async function dropExpired(folder: string, lake: LakeLedger | undefined): Promise<void> {
  for (const { version } of expired(lake?.superseded ?? []).drop)
    await rm(join(folder, folderOfVersion(version)), { recursive: true, force: true });
}

/**
 * Deletes what a killed run has left of this dataset: versions after the current one, and work. Returns the first number that is free.
 */
export async function tidyLake(folder: string, { lake, version }: LakeLedger): Promise<number> {
  await rm(join(folder, workFolder, "next"), { recursive: true, force: true });
  let next = version + 1;
  for (const name of (await readdir(folder)).toSorted()) {
    const found = /^version-(\d{8,15})$/.exec(name)?.[1];
    if (found === undefined || Number(found) <= version) continue;
    if ((await ledgerIn(join(folder, name)))?.lake === lake)
      await rm(join(folder, name), { recursive: true, force: true });
    else next = Math.max(next, Number(found) + 1);
  }
  return next;
}

/** Returns a file of the current version that is missing or has another length; undefined if there is none. */
export async function faultyFile(
  folder: string,
  version: number,
  table: LakeTable,
): Promise<string | undefined> {
  for (const { name, byteLength } of table.files) {
    const file = join(folder, folderOfVersion(version), name);
    if ((await lstat(file).catch(unlessMissing))?.size !== byteLength) return file;
  }
  return undefined;
}
