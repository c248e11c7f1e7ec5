import { identifier, type SqlFragment, sql } from "@cadastre/odata";
import { join, value } from "@cadastre/odata/run";
import type { Session } from "../database/session.ts";
import { sourceProperty, stagedColumns, type TableSchema } from "../schema/table.ts";
import type { PendingChange, RemovedKey } from "../write/version.ts";
import type { SourceState } from "./sources.ts";
import { stagedRecord } from "./staged-record.ts";

const source = identifier(sourceProperty.name);
const batch = identifier(stagedColumns.batch);

const dataset = identifier(stagedColumns.dataset);

const namesOf = ({ key }: TableSchema): readonly SqlFragment[] => key.map(({ name }) => identifier(name));

const sameKey = (table: TableSchema, left: SqlFragment, right: SqlFragment): readonly SqlFragment[] =>
  namesOf(table).map((column) => sql`${left}.${column} = ${right}.${column}`);

/** Condition that a staged change and a row of the table are of one record. */
const isOfRecord = (
  table: TableSchema,
  staged: SqlFragment,
  current: SqlFragment,
  datasetId: SqlFragment,
): SqlFragment => {
  const ofDataset = table.shared ? [] : [sql`${staged}.${dataset} = ${datasetId}`];
  return join([...sameKey(table, staged, current), ...ofDataset], " and ");
};

/** Condition that two staged changes are of one record. */
const isSameChange = (table: TableSchema, left: SqlFragment, right: SqlFragment): SqlFragment => {
  const ofDataset = table.shared ? [] : [sql`${left}.${dataset} = ${right}.${dataset}`];
  return join([...sameKey(table, left, right), ...ofDataset], " and ");
};

/**
 * The order of staged changes: by batch, and by source if sources have staged batches at the same time, which may have the same number.
 *
 * @param table name of a table of staged changes, or its alias
 */
const order = (table: SqlFragment): SqlFragment => sql`(${table}.${batch}, ${table}.${source})`;

/** The place of a source's last batch in that order. */
const orderOf = (state: SourceState): SqlFragment =>
  sql`(cast(${value(state.batch)} as bigint), ${value(state.source)})`;

/** Returns the sources whose staged changes can be published: not those whose full set is still open. */
export const readySources = (sources: readonly SourceState[]): readonly SourceState[] =>
  sources.filter(({ fullSet }) => fullSet !== "open");

/** Stages the removal of the records of a source that its full set does not contain. */
export async function stageMissing(
  session: Session,
  table: TableSchema,
  datasetId: SqlFragment,
  state: SourceState,
): Promise<void> {
  const [current, staged] = [identifier(table.name), identifier(table.staged)];
  const names = namesOf(table);
  const values = [...names, source, sql`cast(${value(state.batch)} as bigint)`, datasetId];
  await session.rows(
    sql`insert into ${staged} (${join([...names, source, batch, dataset], ", ")})
  select ${join(values, ", ")} from ${current} where ${isMissing(table, datasetId, state)}`,
  );
}

/** Condition for the records of a source that its full set does not contain. */
function isMissing(table: TableSchema, datasetId: SqlFragment, { source: name }: SourceState): SqlFragment {
  const [current, staged] = [identifier(table.name), identifier(table.staged)];
  const named = sql`select 1 from ${staged} where ${isOfRecord(table, staged, current, datasetId)} and ${staged}.${source} = ${value(name)}`;
  return sql`${current}.${source} = ${value(name)} and not exists (${named})`;
}

/**
 * Streams the datasets and keys of the records that complete full sets of the sources do not contain, unless another source has a newer change of the
 * record.
 */
export async function* missingRecords(
  session: Session,
  table: TableSchema,
  datasetId: SqlFragment,
  sources: readonly SourceState[],
): AsyncGenerator<RemovedKey> {
  const { name: resource } = table;
  const [current, staged] = [identifier(resource), identifier(table.staged)];
  const columns = join([datasetId, ...namesOf(table)], ", ");
  for (const state of sources) {
    if (state.fullSet !== "whole") continue;
    const newer = sql`select 1 from ${staged} where ${isOfRecord(table, staged, current, datasetId)}
    and ${order(staged)} > ${orderOf(state)} and ${isOf(sources, staged)}`;
    const rows = session.stream(
      sql`select ${columns} from ${current} where ${isMissing(table, datasetId, state)} and not exists (${newer})`,
    );
    for await (const [held, ...key] of rows) yield { resource, datasetId: held as string | null, key };
  }
}

/**
 * Streams the staged changes of some sources, in no particular order. If several sources have changed a record, only the change
 * of the latest batch is returned.
 */
export async function* stagedChanges(
  session: Session,
  table: TableSchema,
  datasetId: SqlFragment,
  sources: readonly SourceState[],
): AsyncGenerator<PendingChange> {
  const { name: resource, key } = table;
  const staged = identifier(table.staged);
  const columns = [...key.map(({ name }) => name), sourceProperty.name, ...contents].map(
    (name) => sql`"one".${identifier(name)}`,
  );
  const newer = sql`select 1 from ${staged} as "newer" where ${isSameChange(table, sql`"newer"`, sql`"one"`)}
    and ${order(sql`"newer"`)} > ${order(sql`"one"`)} and ${isOf(sources, sql`"newer"`)}`;
  const current = identifier(table.name);
  const removed = sources
    .filter(({ fullSet }) => fullSet === "whole")
    .map(
      (
        state,
      ) => sql` and not exists (select 1 from ${current} where ${isOfRecord(table, sql`"one"`, current, datasetId)}
    and ${isMissing(table, datasetId, state)} and ${order(sql`"one"`)} < ${orderOf(state)})`,
    );
  // A complete set of one source also removes what another one has staged before it.
  const onlyOne = sources.length < 2 ? sql`` : sql` and not exists (${newer})${join(removed, " ")}`;
  const rows = session.stream(
    sql`select ${join(columns, ", ")} from ${staged} as "one" where ${isOf(sources, sql`"one"`)}${onlyOne}`,
  );
  for await (const row of rows) {
    const [name, datasetId, record, hidden] = row.slice(key.length) as [string, string, string, string];
    if (record === null) yield { resource, datasetId, key: row.slice(0, key.length) };
    else
      yield {
        resource,
        datasetId,
        record: stagedRecord(record),
        source: name,
        ...(hidden === null ? {} : { hidden: stagedRecord(hidden) }),
      };
  }
}

const contents = [stagedColumns.dataset, stagedColumns.record, stagedColumns.hidden];

const isOf = (sources: readonly SourceState[], table: SqlFragment): SqlFragment =>
  sql`${table}.${source} in (${join(
    sources.map((one) => value(one.source)),
    ", ",
  )})`;
