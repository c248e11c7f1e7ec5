import { type CompiledSql, identifier, postgres, sql } from "@cadastre/odata";
import { render, value } from "@cadastre/odata/run";
import type { Knex } from "knex";
import type { Session } from "../../database/session.ts";
import { lastCheckpoint, prunedNote, type TableSchema, validity } from "../../schema/table.ts";
import type { Moment } from "../../store.ts";
import type { Tally } from "../../write/tallies.ts";

/** See {@link lastCheckpoint}. */
export const postgresLastCheckpoint: CompiledSql = render(lastCheckpoint, postgres.placeholder);

/** Selects number and time of the last commit; no row before the first. */
export const postgresLastMoment: CompiledSql = {
  text: `select "checkpoint", "committed_at" from "cadastre_commit" order by "checkpoint" desc limit 1`,
  values: [],
};

/** Selects the time of a commit; no row if there is none. */
export const compilePostgresCommitTime = (checkpoint: number): CompiledSql =>
  render(
    sql`select "committed_at" from "cadastre_commit" where "checkpoint" = ${value(checkpoint)}::bigint`,
    postgres.placeholder,
  );

/** Selects the last commit at or before a time, and the earliest checkpoint that can still be read; null if there is none. */
export const compilePostgresStateAt = (time: number): CompiledSql => ({
  text: `select (select max("checkpoint") from "cadastre_commit" where "committed_at" <= $1::bigint),
  (select "text"::bigint from "cadastre_note" where "key" = 'cadastre_pruned')`,
  values: [time],
});

const timeAt = (place: number) =>
  `(select "committed_at" from "cadastre_commit" where "checkpoint" = $${place}::bigint)`;

/** Selects the columns of `FoundMoments`: the earliest checkpoint, the times of two commits, checkpoint and time of the last one. */
export const postgresMoments = (since: Moment, until: Moment | undefined): CompiledSql => ({
  text: `select (select "text"::bigint from "cadastre_note" where "key" = 'cadastre_pruned'),
  ${timeAt(1)}, ${timeAt(2)}, (${postgresLastCheckpoint.text}),
  (select "committed_at" from "cadastre_commit" order by "checkpoint" desc limit 1)`,
  values: [since.checkpoint, (until ?? since).checkpoint],
});

/**
 * Selects the earliest checkpoint that can still be read, null if nothing was pruned; whether a version of the table was closed since
 * `checkpoint`; and the last checkpoint.
 */
export function compilePostgresHistory({ closed }: TableSchema, checkpoint: number): CompiledSql {
  const later = sql`${identifier(validity.to.name)} > ${value(checkpoint)}::bigint`;
  return render(
    sql`select (select "text"::bigint from "cadastre_note" where "key" = ${value(prunedNote)}::text),
  exists (select 1 from ${identifier(closed)} where ${later}),
  (${lastCheckpoint})`,
    postgres.placeholder,
  );
}

/** Waits until no other commit is open, and prevents others until the transaction ends. */
export const lockCommits = (transaction: Knex.Transaction): Promise<unknown> =>
  transaction.raw(`lock table "cadastre_commit" in exclusive mode`).then();

/**
 * Waits until no other transaction that writes for the same owner, and none that runs alone, is open, and prevents others until the transaction
 * ends.
 *
 * @param owner what the transaction writes for, such as a dataset
 */
export async function lockCommitsOf(transaction: Knex.Transaction, owner: string): Promise<void> {
  await transaction.raw(`lock table "cadastre_commit" in row exclusive mode`);
  await transaction.raw(
    "select pg_advisory_xact_lock(hashtextextended('cadastre writer ' || current_schema() || ' ' || ?, 0))",
    [owner],
  );
}

/** See `BuildDatabase.lockStaged`. */
export async function lockPostgresStaged(session: Session, { staged }: TableSchema): Promise<void> {
  await session.rows(
    sql`select pg_advisory_xact_lock(hashtextextended('cadastre staged ' || current_schema() || ' ' || ${value(staged)}, 0))`,
  );
}

/** Returns the statements that record how many records of each resource and dataset a commit has changed. */
export const noteTallies = (checkpoint: bigint, tallies: readonly Tally[]): readonly CompiledSql[] =>
  tallies.map(({ resource, datasetId, written, removed }) => ({
    text: `insert into "cadastre_commit_dataset" ("checkpoint", "resource", "dataset_id", "written", "removed")
  values ($1::bigint, $2::text, $3::text, $4::bigint, $5::bigint)`,
    values: [checkpoint, resource, datasetId, written, removed],
  }));

export async function readPostgresNote(knex: Knex, key: string): Promise<string | undefined> {
  const note = await knex<{ key: string; text: string }>("cadastre_note").where({ key }).first("text");
  return note?.text;
}

export const writePostgresNote = (knex: Knex, key: string, text: string): Promise<void> =>
  knex("cadastre_note")
    .insert({ key, text })
    .onConflict("key")
    .merge()
    .then(() => {});

/** True if the role of the connection may write commits. */
export async function mayCommit(knex: Knex): Promise<boolean> {
  const { rows } = await knex.raw<{ readonly rows: readonly { readonly may: boolean }[] }>(
    "select has_table_privilege('cadastre_commit', 'insert') as may",
  );
  return rows[0]?.may === true;
}
