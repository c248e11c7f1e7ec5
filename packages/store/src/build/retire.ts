import { identifier, sql } from "@cadastre/odata";
import { join, value } from "@cadastre/odata/run";
import { refreshCoverage } from "../coverage/refresh.ts";
import type { Session } from "../database/session.ts";
import { StoreError } from "../errors.ts";
import {
  type StoredTable,
  sourceProperty,
  stagedColumns,
  type TableSchema,
  validity,
} from "../schema/table.ts";
import type { Commit } from "../store.ts";
import { createUlid } from "../ulid.ts";
import type { DatasetRetirement, RecordCounts } from "./build.ts";
import type { BuildDatabase, OpenCommit } from "./build-database.ts";
import { readDigestCheckpoint, storeCurrentDigest } from "./digest-table.ts";
import { addBuild, readBuilds } from "./history.ts";
import { noteRetired, type RetirementNote, readPruned, readRetired } from "./retired-datasets.ts";
import { readSources, servedCursors, writeSource } from "./sources.ts";
import { deleteStaged } from "./staging.ts";

/** See `Builds.retired`. */
export async function listRetired(
  session: Session,
  database: BuildDatabase,
): Promise<readonly DatasetRetirement[]> {
  const retired: DatasetRetirement[] = [];
  for (const [datasetId, retirement] of await readRetired(session))
    retired.push({
      datasetId,
      ...retirement,
      isPast: await isPast(session, database, datasetId, retirement),
    });
  return retired;
}

/** Returns true if no state that can still be read has records of the dataset. */
async function isPast(
  session: Session,
  { tables, isOfDataset }: BuildDatabase,
  datasetId: string,
  { before, records }: RetirementNote,
): Promise<boolean> {
  const pruned = await readPruned(session);
  if (Object.keys(records).length > 0) return pruned > before;
  if (pruned >= before) return true;
  // It had no records when it was retired, but may have had some before.
  for (const { table } of tables.values()) {
    const closed = sql`select 1 from ${identifier(table.closed)} where ${isOfDataset(datasetId)} limit 1`;
    if ((await session.rows(closed)).length > 0) return false;
  }
  return true;
}

/** See `Builds.retire`. */
export async function retireDataset(
  open: OpenCommit,
  database: BuildDatabase,
  datasetId: string,
  review?: (records: RecordCounts) => void,
): Promise<Commit> {
  const { session } = open;
  if ((await readRetired(session)).has(datasetId)) throw new StoreError("dataset_retired", datasetId);
  const records: Record<string, number> = {};
  for (const { table } of database.tables.values()) {
    await restartSources(session, table, database, datasetId);
    const { removed } = await open.restore(table.name, 0, datasetId);
    if (removed > 0) records[table.name] = removed;
  }
  review?.(records);
  const commit = await finish(open, database, records);
  const before = commit.removed > 0 ? commit.checkpoint - 1 : commit.checkpoint;
  await noteRetired(session, datasetId, { before, time: Date.now(), records });
  return commit;
}

/** See `Builds.reinstate`. */
export async function reinstateDataset(
  open: OpenCommit,
  database: BuildDatabase,
  datasetId: string,
  isEmpty: boolean,
): Promise<Commit> {
  const { session } = open;
  const { before, records } = await findRetired(session, datasetId);
  if (!isEmpty)
    for (const { table } of database.tables.values()) {
      await requireFreeKeys(session, table, database, datasetId, before);
      const { written } = await open.restore(table.name, before, datasetId);
      if (written !== (records[table.name] ?? 0)) throw new StoreError("retirement_expired", table.name);
      await resumeSources(session, table, database, datasetId, before);
    }
  await noteRetired(session, datasetId, undefined);
  return finish(open, database, isEmpty ? {} : records);
}

/** See `Builds.forgetRetired`. */
export async function forgetRetired(
  { session }: OpenCommit,
  database: BuildDatabase,
  datasetId: string,
): Promise<void> {
  const { tables, isOfDataset } = database;
  const retirement = await findRetired(session, datasetId);
  if (!(await isPast(session, database, datasetId, retirement)))
    throw new StoreError("retirement_recent", datasetId);
  for (const { table } of tables.values())
    await session.rows(sql`delete from ${identifier(table.closed)} where ${isOfDataset(datasetId)}`);
}

async function findRetired(session: Session, datasetId: string): Promise<RetirementNote> {
  const retirement = (await readRetired(session)).get(datasetId);
  if (retirement === undefined) throw new StoreError("dataset_not_retired", datasetId);
  return retirement;
}

/** @throws {StoreError} `key_of_another_dataset` if a record of the dataset cannot be restored because its key has been taken */
async function requireFreeKeys(
  session: Session,
  table: TableSchema,
  { isOfDataset }: BuildDatabase,
  datasetId: string,
  checkpoint: number,
): Promise<void> {
  const columns = table.key.map(({ name }) => identifier(name));
  const key = join(columns, ", ");
  const [current, given] = [identifier(table.name), sql`"given"`];
  const isKey = join(
    columns.map((column) => sql`${current}.${column} = ${given}.${column}`),
    " and ",
  );
  const ofGiven = join(
    columns.map((column) => sql`${given}.${column}`),
    ", ",
  );
  const then = sql`cast(${value(checkpoint)} as bigint)`;
  const [taken] = await session.rows(
    sql`with "given" as materialized (
  select ${key} from ${identifier(table.closed)}
  where ${identifier(validity.from.name)} <= ${then} and ${identifier(validity.to.name)} > ${then} and ${isOfDataset(datasetId)}
)
select ${ofGiven} from "given" join ${current} on ${isKey} limit 1`,
  );
  if (taken !== undefined)
    throw new StoreError("key_of_another_dataset", `${table.name} ${taken.join(", ")}`);
}

/**
 * Has the sources that have records of a dataset, or have staged some, start at their beginning again. Deletes all that they have staged:
 * what is left of a full set would be published as if it were the whole.
 */
async function restartSources(
  session: Session,
  table: TableSchema,
  { isOfDataset }: BuildDatabase,
  datasetId: string,
): Promise<void> {
  const [current, staged] = [identifier(table.name), identifier(table.staged)];
  const source = identifier(sourceProperty.name);
  const isStaged = sql`${identifier(stagedColumns.dataset)} = ${value(datasetId)}`;
  const rows = await session.rows(
    sql`select ${source} from ${current} where ${isOfDataset(datasetId)} union select ${source} from ${staged} where ${isStaged}`,
  );
  const names = new Set(rows.map(([name]) => name));
  for (const state of await readSources(session, table.name)) {
    if (!names.has(state.source)) continue;
    await deleteStaged(session, table, state.source);
    await writeSource(session, table.name, { ...state, cursor: null, served: null, fullSet: null });
  }
}

/**
 * Sets sources that have records of the dataset and are at their beginning to where they were in the build that was served at a
 * checkpoint.
 */
async function resumeSources(
  session: Session,
  table: TableSchema,
  { isOfDataset }: BuildDatabase,
  datasetId: string,
  checkpoint: number,
): Promise<void> {
  const rows = await session.rows(
    sql`select distinct ${identifier(sourceProperty.name)} from ${identifier(table.name)} where ${isOfDataset(datasetId)}`,
  );
  const names = new Set(rows.map(([name]) => name));
  const served = (await readBuilds(session, table.name)).find((build) => build.checkpoint <= checkpoint);
  for (const state of await readSources(session, table.name)) {
    const cursor = served?.cursors[state.source];
    if (names.has(state.source) && state.cursor === null && cursor !== undefined)
      await writeSource(session, table.name, { ...state, cursor, served: cursor });
  }
}

/** Ends the commit, and adds a build of each published resource that it has changed. What the gates found before still holds. */
async function finish(open: OpenCommit, database: BuildDatabase, changed: RecordCounts): Promise<Commit> {
  const commit = await open.finish();
  for (const stored of database.tables.values())
    if (changed[stored.table.name] !== undefined) await serve(open.session, database, stored, commit);
  return commit;
}

async function serve(
  session: Session,
  database: BuildDatabase,
  stored: StoredTable,
  { checkpoint }: Commit,
): Promise<void> {
  const { name } = stored.table;
  const [serving] = await readBuilds(session, name, 1);
  // A digest without a build is brought up to date too: afterwards the versions that have ended are not needed for it.
  if (serving === undefined && (await readDigestCheckpoint(session, name)) === undefined) return;
  const schemas = [...database.tables.values()].map(({ table }) => table);
  const digest = await storeCurrentDigest(session, stored.table, schemas, database, checkpoint);
  if (serving === undefined) return;
  const published = Date.now();
  const cursors = servedCursors(await readSources(session, name));
  const [id, previous] = [createUlid(published), serving.id];
  const build = { ...serving, ...digest.total(), id, checkpoint, previous, cursors, published };
  await addBuild(session, build);
  await refreshCoverage(session, stored, database.datasetId, build);
}
