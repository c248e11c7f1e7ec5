import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import { ManifestError, readManifest } from "@cadastre/manifest";
import { ClientError } from "../errors.ts";
import { onDisk, readManifestFile, unlessMissing } from "../fetch/disk.ts";
import { manifestFile } from "../fetch/staging.ts";
import { openSession } from "./duckdb.ts";
import { requireFolder } from "./folder.ts";
import { streamOf } from "./ledger.ts";
import { databaseAddress, readTarget } from "./open-target.ts";
import { openPostgresSession } from "./postgres.ts";
import { quoteIdentifier, type SqlSession, tableNames } from "./session.ts";
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
};

type LoadedEntry = { readonly manifest: string; readonly loadedAt: string };

/** Readers of a ledger by the scheme of the target. They create nothing. */
const readers = {
  folder: (path) => folderEntries(path),
  sqlite: async (file, place) => {
    await requireFile(file);
    return withSession(await openSqliteSession(file, place), place);
  },
  duckdb: async (file, place) => {
    await requireFile(file);
    return withSession(await openSession(file, { prefix: place.prefix }), place);
  },
  postgres: async (rest, place) =>
    withSession(
      await openPostgresSession(databaseAddress(rest), { prefix: place.prefix }, ledgerTables.loads),
      place,
    ),
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

function stateOf({ manifest: text, loadedAt }: LoadedEntry): readonly CopyState[] {
  try {
    const manifest = readManifest(new TextEncoder().encode(text));
    const { deliveryId, domain, generation, sequence, window } = manifest;
    return [
      { stream: streamOf(manifest), deliveryId, domain, generation, sequence, asOf: window.asOf, loadedAt },
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
  const entries: LoadedEntry[] = [];
  for (const child of await onDisk(folder, () => readdir(folder, { withFileTypes: true }))) {
    if (!child.isDirectory() || child.name.startsWith(".")) continue;
    const file = join(folder, child.name, manifestFile);
    const found = await onDisk(file, () => lstat(file).catch(unlessMissing));
    if (found === undefined) continue;
    const manifest = await onDisk(file, () => readManifestFile(file));
    entries.push({ manifest: manifest.toString("utf8"), loadedAt: found.mtime.toISOString() });
  }
  return entries;
}

async function withSession(
  session: SqlSession,
  { schema, prefix = "" }: TablePlace,
): Promise<readonly LoadedEntry[]> {
  try {
    const names = schema === undefined ? session.names : tableNames(prefix, `${quoteIdentifier(schema)}.`);
    return await asTargetError(session.title, async () => {
      if (!(await hasLedger(session, schema))) return [];
      const rows = await session.run(lastOfStreams(names.of(ledgerTables.loads)));
      return rows.map((row) => ({ manifest: String(row["manifest"]), loadedAt: String(row["loaded_at"]) }));
    });
  } finally {
    await session.close();
  }
}

/** Returns the statement that selects the last delivery of each stream. @param loads table of the ledger as SQL */
const lastOfStreams = (loads: string): string =>
  `select manifest, loaded_at from ${loads} l where not exists (
     select 1 from ${loads} m where m.stream = l.stream
       and (m.generation > l.generation or (m.generation = l.generation and m.sequence > l.sequence)))`;

/** True if the copy has a ledger. A named schema is not opened by the session, which would create it. */
async function hasLedger({ run, relation, names }: SqlSession, schema: string | undefined): Promise<boolean> {
  if (schema === undefined) return (await relation(ledgerTables.loads)) !== undefined;
  const found = await run(
    "select table_name from information_schema.tables where table_schema = ? and table_name = ?",
    [schema, names.prefix + ledgerTables.loads],
  );
  return found.length > 0;
}
