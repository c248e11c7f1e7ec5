import { identifier, type SqlFragment, sql } from "@cadastre/odata";
import { join, value } from "@cadastre/odata/run";
import type { RowValues, Session } from "../database/session.ts";
import { sourceProperty, stagedColumns, type TableSchema } from "../schema/table.ts";
import type { PendingChange } from "../write/version.ts";
import type { SourceState } from "./sources.ts";
import { stagedRecord } from "./staged-record.ts";

const source = identifier(sourceProperty.name);
const batch = identifier(stagedColumns.batch);

const namesOf = ({ key }: TableSchema): readonly SqlFragment[] => key.map(({ name }) => identifier(name));

const sameKey = (table: TableSchema, left: SqlFragment, right: SqlFragment): SqlFragment =>
  join(
    namesOf(table).map((column) => sql`${left}.${column} = ${right}.${column}`),
    " and ",
  );

/** Returns the sources whose staged changes can be published: not those whose full set is still open. */
export const readySources = (sources: readonly SourceState[]): readonly SourceState[] =>
  sources.filter(({ fullSet }) => fullSet !== "open");

/** Stages the removal of the records of a source that its full set does not contain. */
export async function stageMissing(session: Session, table: TableSchema, state: SourceState): Promise<void> {
  const [current, staged] = [identifier(table.name), identifier(table.staged)];
  const names = namesOf(table);
  const values = [...names, source, sql`cast(${value(state.batch)} as bigint)`];
  await session.rows(
    sql`insert into ${staged} (${join([...names, source, batch], ", ")})
  select ${join(values, ", ")} from ${current} where ${isMissing(table, state)}`,
  );
}

/** Condition for the records of a source that its full set does not contain. */
function isMissing(table: TableSchema, { source: name }: SourceState): SqlFragment {
  const [current, staged] = [identifier(table.name), identifier(table.staged)];
  const named = sql`select 1 from ${staged} where ${sameKey(table, staged, current)} and ${staged}.${source} = ${value(name)}`;
  return sql`${current}.${source} = ${value(name)} and not exists (${named})`;
}

/**
 * Streams the keys of the records that complete full sets of the sources do not contain, unless another source has a newer change of the
 * record.
 */
export async function* missingKeys(
  session: Session,
  table: TableSchema,
  sources: readonly SourceState[],
): AsyncGenerator<RowValues> {
  const [current, staged] = [identifier(table.name), identifier(table.staged)];
  const keys = join(namesOf(table), ", ");
  for (const state of sources) {
    if (state.fullSet !== "whole") continue;
    const newer = sql`select 1 from ${staged} where ${sameKey(table, staged, current)}
    and ${staged}.${batch} > cast(${value(state.batch)} as bigint) and ${isOf(sources, staged)}`;
    yield* session.stream(
      sql`select ${keys} from ${current} where ${isMissing(table, state)} and not exists (${newer})`,
    );
  }
}

/**
 * Streams the staged changes of some sources, in no particular order. If several sources have changed a record, only the change
 * of the latest batch is returned.
 */
export async function* stagedChanges(
  session: Session,
  table: TableSchema,
  sources: readonly SourceState[],
): AsyncGenerator<PendingChange> {
  const { name: resource, key } = table;
  const staged = identifier(table.staged);
  const columns = [...key.map(({ name }) => name), sourceProperty.name, ...contents].map(
    (name) => sql`"one".${identifier(name)}`,
  );
  const newer = sql`select 1 from ${staged} as "newer" where ${sameKey(table, sql`"newer"`, sql`"one"`)}
    and "newer".${batch} > "one".${batch} and ${isOf(sources, sql`"newer"`)}`;
  const current = identifier(table.name);
  const removed = sources
    .filter(({ fullSet }) => fullSet === "whole")
    .map(
      (state) => sql` and not exists (select 1 from ${current} where ${sameKey(table, current, sql`"one"`)}
    and ${isMissing(table, state)} and "one".${batch} < cast(${value(state.batch)} as bigint))`,
    );
  // A complete set of one source also removes what another one has staged before it.
  const onlyOne = sources.length < 2 ? sql`` : sql` and not exists (${newer})${join(removed, " ")}`;
  const rows = session.stream(
    sql`select ${join(columns, ", ")} from ${staged} as "one" where ${isOf(sources, sql`"one"`)}${onlyOne}`,
  );
  for await (const row of rows) {
    const [name, datasetId, record, hidden] = row.slice(key.length) as [string, string, string, string];
    if (record === null) yield { resource, key: row.slice(0, key.length) };
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
