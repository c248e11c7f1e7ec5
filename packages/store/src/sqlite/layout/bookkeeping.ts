import type { CompiledSql } from "@cadastre/odata";
import { identifier, render, sql, sqlite, value } from "@cadastre/odata/run";
import type { Database } from "better-sqlite3";
import { lastCheckpoint, prunedNote, type TableSchema, validity } from "../../schema/table.ts";
import type { Moment, PastState } from "../../store.ts";

/** See {@link lastCheckpoint}. */
export const sqliteLastCheckpoint: string = render(lastCheckpoint, sqlite.placeholder).text;

/** Selects number and time of the last commit; no row before the first. */
export const sqliteLastMoment = `select "checkpoint", "committed_at" from "cadastre_commit" order by "checkpoint" desc limit 1`;

/** See `AsOf.history`. */
export function compileSqliteHistory({ closed }: TableSchema, checkpoint: number): CompiledSql {
  const later = sql`${identifier(validity.to.name)} > ${value(BigInt(checkpoint))}`;
  return render(
    sql`select (select cast("text" as integer) from "cadastre_note" where "key" = ${value(prunedNote)}),
  exists (select 1 from ${identifier(closed)} where ${later})`,
    sqlite.placeholder,
  );
}

const timeAt = `(select "committed_at" from "cadastre_commit" where "checkpoint" = ?)`;
const selectMoments = `select (select cast("text" as integer) from "cadastre_note" where "key" = '${prunedNote}'),
  ${timeAt}, ${timeAt}, (${sqliteLastCheckpoint}),
  (select "committed_at" from "cadastre_commit" order by "checkpoint" desc limit 1)`;

/** Selects the columns of `FoundMoments`: the earliest checkpoint, the times of two commits, checkpoint and time of the last one. */
export const sqliteMoments = (since: Moment, until: Moment | undefined): CompiledSql => ({
  text: selectMoments,
  values: [BigInt(since.checkpoint), BigInt((until ?? since).checkpoint)],
});

const selectTime = `select "committed_at" from "cadastre_commit" where "checkpoint" = ?`;

/** See `Store.committedAt`. */
export const readSqliteCommitTime = (database: Database, checkpoint: number): number | undefined =>
  checkpoint === 0 ? 0 : (database.prepare(selectTime).pluck().get(checkpoint) as number | undefined);

const selectState = `select (select max("checkpoint") from "cadastre_commit" where "committed_at" <= ?) as "checkpoint",
  (select cast("text" as integer) from "cadastre_note" where "key" = '${prunedNote}') as "earliest"`;

/** See `Store.stateAt`. */
export function readSqliteStateAt(database: Database, time: number): PastState {
  const found = database
    .prepare<[number], Readonly<Record<keyof PastState, number | null>>>(selectState)
    .get(time);
  return { checkpoint: found?.checkpoint ?? 0, earliest: found?.earliest ?? 0 };
}

const select = `select "text" from "cadastre_note" where "key" = ?`;
// "insert or replace" deletes the old row without running the delete trigger, so the checksum of the table would not match.
const put = `insert into "cadastre_note" ("key", "text") values (?, ?)
  on conflict ("key") do update set "text" = excluded."text"`;

export const readSqliteNote = (database: Database, key: string): string | undefined =>
  database.prepare(select).pluck().get(key) as string | undefined;

export const writeSqliteNote = (database: Database, key: string, text: string): void =>
  void database.prepare(put).run(key, text);
