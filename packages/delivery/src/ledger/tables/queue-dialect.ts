import type { Knex, RegistryDatabase } from "@cadastre/store/registry";
import { hasElapsed } from "../../elapsed.ts";

/** Differences between the databases in the statements of a queue. */
export type QueueDialect = {
  /** SQL of the present time, in milliseconds since 1970. */
  readonly now: string;
  /** Has a query lock the row that it finds, and pass over those that others have locked. */
  readonly unlocked: <Query extends Knex.QueryBuilder>(query: Query) => Query;
};

/** Longest time that a delivery or a rebuild waits for its next attempt or for the end of a lease, in milliseconds. */
const longestWait = 3_600_000;

/** Returns the SQL of a time some milliseconds from now, an hour at most. */
export const timeAfter = (knex: Knex, { now }: Pick<QueueDialect, "now">, milliseconds: number): Knex.Raw =>
  knex.raw(`${now} + ?`, [Math.min(milliseconds, longestWait)]);

/** Returns the condition that a queued delivery is due. */
export const isDue = (knex: Knex, { now }: Pick<QueueDialect, "now">) =>
  hasElapsed("due", knex.raw(now), longestWait);

export const queueDialects: Readonly<Record<RegistryDatabase["engine"], QueueDialect>> = {
  sqlite: {
    now: "cast(unixepoch('subsec') * 1000 as integer)",
    // Every write locks the file.
    unlocked: (query) => query,
  },
  postgres: {
    // The time of the statement: the transaction may have begun long ago.
    now: "cast(extract(epoch from clock_timestamp()) * 1000 as bigint)",
    unlocked: (query) => {
      query.forUpdate().skipLocked();
      return query;
    },
  },
};
