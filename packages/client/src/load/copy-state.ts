import { lstat } from "node:fs/promises";
import { ManifestError, readManifest } from "@cadastre/manifest";
import { ClientError } from "../errors.ts";
import { onDisk, unlessMissing } from "../fetch/disk.ts";
import { openSession } from "./duckdb.ts";
import { requireFolder } from "./folder.ts";
import { type FolderEntry, lastIntact, readLedger } from "./folder-ledger.ts";
import { lakeFault } from "./lake.ts";
import { readLake } from "./lake-ledger.ts";
import { lastOf, streamOf } from "./ledger.ts";
import { databaseAddress, readTarget } from "./open-target.ts";
import { copyFault } from "./ownership.ts";
import { openPostgresSession } from "./postgres.ts";
import type { SqlSession } from "./session.ts";
import { ledgerTables } from "./sql-ledger.ts";
import { asTargetError } from "./sql-target.ts";
import { openSqliteSession } from "./sqlite.ts";
import type { TablePlace } from "./table-place.ts";

/** The last delivery of a stream that a local copy has loaded. */
export type CopyState = {
  /** Id of the subscription; of a one-off export, that of the delivery. */
  readonly stream: string;
  readonly deliveryId: string;
  readonly domain: string;
  readonly generation: number;
  readonly sequence: number;
  /** Instant of the data. */
  readonly asOf: string;
  /** Instant of the load; of a folder, when its manifest was written. */
  readonly loadedAt: string;
  /** The reason why the copy no longer holds this delivery: another one has filled its tables, say. Absent if it does. */
  readonly fault?: ClientError;
};

type LoadedEntry = Pick<CopyState, "loadedAt" | "fault"> & { readonly manifest: string };

/** Readers of a ledger by the scheme of the target. They create nothing. */
const readers = {
  folder: (path) => folderEntries(path),
  parquet: (path) => lakeEntries(path),
  sqlite: async (file, place) => {
    await requireFile(file);
    return withSession((where) => openSqliteSession(file, where), place);
  },
  duckdb: async (file, place) => {
    await requireFile(file);
    return withSession((where) => openSession(file, where), place);
  },
  postgres: async (rest, place) =>
    withSession((where) => openPostgresSession(databaseAddress(rest), where, ledgerTables.loads), place),
} as const satisfies Record<string, (rest: string, place: TablePlace) => Promise<readonly LoadedEntry[]>>;

/**
 * Reads what a local copy has loaded: the last delivery of each stream. Changes nothing, and creates neither file nor table.
 *
 * @throws {ClientError} `copy_missing` if there is no such file or folder
 */
export async function readCopyState(target: string, place: TablePlace = {}): Promise<readonly CopyState[]> {
  const { scheme, rest } = readTarget(target, place);
  const states = (await readers[scheme](rest, place)).flatMap(stateOf);
  const streams = new Set(states.map(({ stream }) => stream));
  return [...streams].flatMap((stream) => lastIn(states.filter((one) => one.stream === stream)) ?? []);
}

const lastIn = (states: readonly CopyState[]): CopyState | undefined =>
  states.toSorted((a, b) => a.generation - b.generation || a.sequence - b.sequence).at(-1);

function stateOf({ manifest: text, ...facts }: LoadedEntry): readonly CopyState[] {
  try {
    const manifest = readManifest(new TextEncoder().encode(text));
    const { deliveryId, domain, generation, sequence, window } = manifest;
    return [
      { stream: streamOf(manifest), deliveryId, domain, generation, sequence, asOf: window.asOf, ...facts },
    ];
  } catch (error) {
    // Other files in the folder are not this program's.
    if (error instanceof ManifestError) return [];
    throw error;
  }
}

async function requireFile(file: string): Promise<void> {
  if ((await onDisk(file, () => lstat(file).catch(unlessMissing))) === undefined)
    throw new ClientError("copy_missing", { target: file });
}

async function folderEntries(folder: string): Promise<readonly LoadedEntry[]> {
  await requireFile(folder);
  await requireFolder(folder);
  return onDisk(folder, async () => {
    const { entries, hasUnreadable } = await readLedger(folder);
    const streams = [...new Set(entries.map(({ stream }) => stream))];
    const of = (stream: string) => entries.filter((entry) => entry.stream === stream);
    return Promise.all(streams.map((stream) => folderState(of(stream), hasUnreadable)));
  });
}

async function folderState(entries: readonly FolderEntry[], hasUnreadable: boolean): Promise<LoadedEntry> {
  const [last, intact] = [lastOf(entries), await lastIntact(entries, hasUnreadable)];
  const { manifest = "", loadedAt = "" } = last ?? {};
  return last === intact
    ? { manifest, loadedAt }
    : { manifest, loadedAt, fault: new ClientError("copy_damaged") };
}

async function lakeEntries(folder: string): Promise<readonly LoadedEntry[]> {
  await requireFile(folder);
  await requireFolder(folder);
  const lake = await onDisk(folder, () => readLake(folder));
  const entries: LoadedEntry[] = [];
  for (const { manifest, loadedAt } of lake?.loads.filter((load) => load.manifest !== "") ?? []) {
    const loaded = readManifest(new TextEncoder().encode(manifest));
    const fault = lake && loaded.subscriptionId !== null ? await lakeFault(folder, lake, loaded) : undefined;
    entries.push({ manifest, loadedAt, ...(fault === undefined ? {} : { fault }) });
  }
  return entries;
}

type OpenSession = (place: TablePlace) => Promise<SqlSession>;

async function withSession(open: OpenSession, place: TablePlace): Promise<readonly LoadedEntry[]> {
  const { prefix, schema } = place;
  // Without the schema, because a session creates the one that it is opened with.
  if (schema !== undefined && !(await closing(open({ prefix }), (session) => hasLedgerIn(session, schema))))
    return [];
  return closing(open(place), async (session) => {
    if ((await session.relation(ledgerTables.loads)) === undefined) return [];
    const rows = await session.run(lastOfStreams(session.names.of(ledgerTables.loads)));
    const entries: LoadedEntry[] = [];
    for (const row of rows) {
      const manifest = String(row["manifest"]);
      const fault = await faultOf(session, manifest);
      const loadedAt = String(row["loaded_at"]);
      entries.push({ manifest, loadedAt, ...(fault === undefined ? {} : { fault }) });
    }
    return entries;
  });
}

async function closing<T>(
  opened: Promise<SqlSession>,
  work: (session: SqlSession) => Promise<T>,
): Promise<T> {
  const session = await opened;
  try {
    return await asTargetError(session.title, () => work(session));
  } finally {
    await session.close();
  }
}

/** Returns the fault of a subscription's copy. One-off exports replace one another. */
async function faultOf(session: SqlSession, text: string): Promise<ClientError | undefined> {
  const manifest = readManifest(new TextEncoder().encode(text));
  return manifest.subscriptionId === null ? undefined : copyFault(session, manifest);
}

/** Returns the statement that selects the last delivery of each stream. @param loads table of the ledger as SQL */
const lastOfStreams = (loads: string): string =>
  `select manifest, loaded_at from ${loads} l where not exists (
     select 1 from ${loads} m where m.stream = l.stream
       and (m.generation > l.generation or (m.generation = l.generation and m.sequence > l.sequence)))`;

/** True if a schema has the ledger of a copy. */
async function hasLedgerIn({ run, names }: SqlSession, schema: string): Promise<boolean> {
  const found = await run(
    "select table_name from information_schema.tables where table_schema = ? and table_name = ?",
    [schema, names.prefix + ledgerTables.loads],
  );
  return found.length > 0;
}
