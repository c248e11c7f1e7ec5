import { hash } from "node:crypto";
import { identifier, sql } from "@cadastre/odata";
import { value } from "@cadastre/odata/run";
import type { RowValues, Session } from "../database/session.ts";
import { lastCheckpoint, type StoredTable, type TableSchema } from "../schema/table.ts";
import { type RemovedKey, removalKey, versionOf } from "../write/version.ts";
import type { Rehearsal } from "./build.ts";
import type { BuildDatabase } from "./build-database.ts";
import { hashedText, recordHash, type StateDigest, sumOf, sumText } from "./digest.ts";
import { currentDigest } from "./digest-table.ts";
import { hasOneOfKeys } from "./record-keys.ts";
import { readSources, type SourceState } from "./sources.ts";
import { missingRecords, readySources, stagedChanges } from "./staged-changes.ts";

/** Number of records that are looked up at once. */
const groupSize = 500;

/** Input of a rehearsal: as long as it stays the same, the result is valid. */
type Basis = { readonly served: Rehearsal; readonly sources: readonly SourceState[] };

/** The result of a rehearsal for a resource. */
type RehearsedResource = {
  readonly basis: Basis;
  /** The last commit that the rehearsal saw. */
  readonly checkpoint: number;
  /** Digest of the records at that commit. */
  readonly digest: StateDigest;
  readonly result: Rehearsal;
};

/** Results of a rehearsal by resource. */
export type Rehearsed = ReadonlyMap<string, RehearsedResource>;

/**
 * Computes the number of records and the fingerprint that a publication of the staged changes gives. Only the changed records are read, and
 * nothing is written: the publication computes the same from the rows that it has written.
 *
 * @throws {StoreError} `invalid_record`
 */
export async function rehearse(
  session: Session,
  database: BuildDatabase,
  tables: readonly StoredTable[],
): Promise<Rehearsed> {
  const rehearsed = new Map<string, RehearsedResource>();
  const checkpoint = await readLastCheckpoint(session);
  for (const stored of tables) {
    const { digest, ...basis } = await basisOf(session, database, stored.table);
    const result = await resultOf(session, database, stored, readySources(basis.sources), digest);
    rehearsed.set(stored.table.name, { basis, checkpoint, digest, result });
  }
  return rehearsed;
}

/** True if a publication gives what was rehearsed: the records and the staged changes are the same as then. */
export async function isStillValid(
  rehearsed: Rehearsed,
  session: Session,
  database: BuildDatabase,
  tables: readonly StoredTable[],
): Promise<boolean> {
  const checkpoint = await readLastCheckpoint(session);
  for (const { table } of tables) {
    const before = rehearsed.get(table.name);
    // Without a commit since, the records are the same: they need not be read again, and all of them are before the first publication.
    const { served, sources } =
      before?.checkpoint === checkpoint
        ? { served: before.basis.served, sources: await readSources(session, table.name) }
        : await basisOf(session, database, table);
    if (JSON.stringify({ served, sources }) !== JSON.stringify(before?.basis)) return false;
  }
  return true;
}

/** Returns the digest of a resource at a checkpoint; undefined unless the rehearsal has read the records of that one. */
export function rehearsedDigest(
  rehearsed: Rehearsed | undefined,
  resource: string,
  checkpoint: number,
): StateDigest | undefined {
  const found = rehearsed?.get(resource);
  return found?.checkpoint === checkpoint ? found.digest : undefined;
}

async function readLastCheckpoint(session: Session): Promise<number> {
  const [row] = await session.rows(lastCheckpoint);
  return Number(row?.[0]);
}

async function basisOf(
  session: Session,
  database: BuildDatabase,
  table: TableSchema,
): Promise<Basis & { readonly digest: StateDigest }> {
  const schemas = [...database.tables.values()].map((one) => one.table);
  const digest = await currentDigest(session, table, schemas, database);
  return { served: digest.total(), sources: await readSources(session, table.name), digest };
}

async function resultOf(
  session: Session,
  database: BuildDatabase,
  { table, members }: StoredTable,
  sources: readonly SourceState[],
  digest: StateDigest,
): Promise<Rehearsal> {
  const { formOf } = database;
  let { records } = digest.total();
  let sum = sumOf(digest.total().sha256);
  for await (const changes of groupsOf(changesOf())) {
    const datasets = new Map<string | null, RowValues[]>();
    for (const { datasetId, key } of changes)
      datasets.set(datasetId, [...(datasets.get(datasetId) ?? []), key]);
    for (const [datasetId, keys] of datasets)
      for (const hash of await readHashes(session, table, database, datasetId, keys)) {
        records--;
        sum -= hash;
      }
    for (const { hash } of changes) {
      if (hash === undefined) continue;
      records++;
      sum += hash;
    }
  }
  return { records, sha256: sumText(sum) };

  async function* changesOf(): AsyncGenerator<RehearsedChange> {
    if (sources.length === 0) return;
    const { datasetId } = database;
    for await (const missing of missingRecords(session, table, datasetId, sources))
      yield { ...missing, hash: undefined };
    for await (const change of stagedChanges(session, table, datasetId, sources)) {
      if (!("record" in change)) {
        yield { datasetId: change.datasetId, key: removalKey(change, table, formOf), hash: undefined };
        continue;
      }
      const { values, text } = versionOf(change, table, members, formOf);
      const digits = hash("sha256", hashedText(change.datasetId, text));
      const key = values.slice(0, table.key.length);
      yield { datasetId: change.datasetId, key, hash: sumOf(digits) };
    }
  }
}

/** The dataset and key of a record, and its hash after the publication; undefined if it is removed. */
type RehearsedChange = Pick<RemovedKey, "datasetId" | "key"> & { readonly hash: bigint | undefined };

async function* groupsOf<T>(all: AsyncIterable<T>): AsyncGenerator<readonly T[]> {
  let group: T[] = [];
  for await (const one of all) {
    if (group.push(one) < groupSize) continue;
    yield group;
    group = [];
  }
  if (group.length > 0) yield group;
}

/** Reads the hashes of the records of a dataset that exist among those with the keys. */
async function readHashes(
  session: Session,
  table: TableSchema,
  database: BuildDatabase,
  datasetId: string | null,
  keys: readonly RowValues[],
): Promise<readonly bigint[]> {
  const isOfDataset =
    datasetId === null
      ? sql`${database.datasetId} is null`
      : sql`${database.datasetId} = ${value(datasetId)}`;
  const rows = await session.rows(
    sql`select ${recordHash(database)} from ${identifier(table.name)} where (${hasOneOfKeys(table, keys)}) and ${isOfDataset}`,
  );
  return rows.map(([hash]) => sumOf(hash as string));
}
