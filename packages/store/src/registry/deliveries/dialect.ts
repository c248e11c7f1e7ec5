import type { Knex } from "knex";
import { hasElapsed } from "../elapsed.ts";

/** What the databases do differently for a queue. */
export type QueueDialect = {
  /** SQL of the present time, in milliseconds since 1970. */
  readonly now: string;
  /** Has a query lock the row that it finds, and pass over those that others have locked. */
  readonly unlocked: <Query extends Knex.QueryBuilder>(query: Query) => Query;
};

/** Milliseconds that a delivery or a rebuild waits at most, for its next attempt or for the end of a lease. */
const longestWait = 3_600_000;

/** SQL of a time some milliseconds from now, an hour at most. */
export const timeAfter = (knex: Knex, { now }: Pick<QueueDialect, "now">, milliseconds: number): Knex.Raw =>
  knex.raw(`${now} + ?`, [Math.min(milliseconds, longestWait)]);

/** The condition that what is queued is due. */
export const isDue = (knex: Knex, { now }: Pick<QueueDialect, "now">) =>
  hasElapsed("due", knex.raw(now), longestWait);

/** Every write locks the file. */
export const sqliteQueue: QueueDialect = {
  now: "cast(unixepoch('subsec') * 1000 as integer)",
  unlocked: (query) => query,
};

export const postgresQueue: QueueDialect = {
  // The time of the statement: that of the transaction may be long over.
  now: "cast(extract(epoch from clock_timestamp()) * 1000 as bigint)",
  unlocked: (query) => {
    query.forUpdate().skipLocked();
    return query;
  },
};
