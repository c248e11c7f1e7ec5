import { identifier, type SqlFragment, sql } from "@cadastre/odata";
import { join, value } from "@cadastre/odata/run";
import type { Session } from "../database/session.ts";
import { StoreError } from "../errors.ts";
import {
  type StoredTable,
  sourceProperty,
  stagedColumns,
  stagedKey,
  type TableSchema,
} from "../schema/table.ts";
import type { Change } from "../store.ts";
import { keyOfValid, removalKey } from "../write/version.ts";
import type { BatchOptions, Staged } from "./build.ts";
import type { BuildDatabase } from "./build-database.ts";
import { StagedKeys } from "./record-keys.ts";
import { type FullSet, readSources, type SourceState, writeSource } from "./sources.ts";
import { stagedText } from "./staged-record.ts";

/** Number of changes written to the database at once. */
const groupSize = 500;

const source = identifier(sourceProperty.name);

/** Stages a batch within the session's transaction, see `Builds.stage`. */
export async function stageBatch(
  session: Session,
  { table, members }: StoredTable,
  database: Pick<BuildDatabase, "formOf" | "datasetId" | "lockStaged">,
  name: string,
  changes: Iterable<Change> | AsyncIterable<Change>,
  options: BatchOptions,
): Promise<Staged> {
  const { formOf } = database;
  const { cursor, after, fullSet } = options;
  const sources = await readSources(session, table.name);
  const state = sources.find((one) => one.source === name) ?? newSource(name);
  if (after !== undefined && after !== state.cursor) {
    if (cursor === state.cursor) return { changes: 0 };
    throw new StoreError("cursor_passed");
  }
  if (fullSet === "begins" || fullSet === "whole") await deleteStaged(session, table, name);
  if (fullSet === "ends" && state.fullSet !== "open") throw new StoreError("set_not_begun");
  // Batches of other sources that are staged at the same time may have the same number.
  const batch = 1 + Math.max(0, ...sources.map((one) => one.batch));
  const keys = new StagedKeys();
  const count = await writeStaged(session, table, rowsOf());
  // From here on one batch after another, so that each sees the keys of those before.
  await database.lockStaged(session, table);
  await keys.require(session, table, database);
  const reached = fullSet === undefined ? state.fullSet : reachedBy[fullSet];
  await writeSource(session, table.name, { ...state, cursor, batch, fullSet: reached });
  return { changes: count };

  async function* rowsOf(): AsyncGenerator<readonly unknown[]> {
    for await (const change of changes) {
      if (change.resource !== table.name) throw new StoreError("unknown_resource", change.resource);
      if ("removed" in change) {
        const key = removalKey(change, table, formOf);
        keys.remove(key, change.datasetId);
        yield [...key, name, batch, change.datasetId, null, null];
        continue;
      }
      // A record that cannot be published is refused here.
      const key = keyOfValid(change, table, members, formOf);
      const { datasetId, record, hidden, text = stagedText(record) } = change;
      const texts = [datasetId, text, hidden === undefined ? null : stagedText(hidden)];
      keys.put(key, datasetId);
      yield [...key, name, batch, ...texts];
    }
  }
}

const newSource = (name: string): SourceState => ({
  source: name,
  cursor: null,
  served: null,
  fullSet: null,
  batch: 0,
});

const reachedBy = { begins: "open", ends: "whole", whole: "whole" } as const satisfies Record<
  NonNullable<BatchOptions["fullSet"]>,
  FullSet
>;

async function writeStaged(
  session: Session,
  table: TableSchema,
  rows: AsyncIterable<readonly unknown[]>,
): Promise<number> {
  const statement = upsertSql(table);
  let count = 0;
  let group: (readonly unknown[])[] = [];
  for await (const row of rows) {
    count++;
    if (group.push(row) < groupSize) continue;
    await write();
    group = [];
  }
  await write();
  return count;

  async function write(): Promise<void> {
    await session.each(statement, group);
  }
}

/** Returns an upsert whose values are the key, the source, and those of {@link stagedColumns}. */
function upsertSql(table: TableSchema): SqlFragment {
  const identity = stagedKey(table).map(identifier);
  const changed = Object.values(stagedColumns).map(identifier);
  const columns = [...table.key.map(({ name }) => identifier(name)), source, ...changed];
  const set = changed.map((column) => sql`${column} = excluded.${column}`);
  return sql`insert into ${identifier(table.staged)} (${join(columns, ", ")})
  values (${join(
    columns.map(() => value(null)),
    ", ",
  )})
  on conflict (${join(identity, ", ")}) do update set ${join(set, ", ")}`;
}

/** Deletes the staged changes of a source, whose cursor stays. */
export async function deleteStaged(session: Session, { staged }: TableSchema, name: string): Promise<void> {
  await session.rows(sql`delete from ${identifier(staged)} where ${source} = ${value(name)}`);
}

/** Deletes the staged changes of a source and resets its cursor, see `Builds.discard`. */
export async function discardStaged(session: Session, table: TableSchema, name: string): Promise<number> {
  const state = (await readSources(session, table.name)).find((one) => one.source === name);
  if (state === undefined) return 0;
  const [[count] = []] = await session.rows(
    sql`select count(*) from ${identifier(table.staged)} where ${source} = ${value(name)}`,
  );
  await deleteStaged(session, table, name);
  await writeSource(session, table.name, { ...state, cursor: state.served, fullSet: null });
  return Number(count);
}
