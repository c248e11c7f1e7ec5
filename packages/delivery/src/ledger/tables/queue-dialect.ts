import type { Knex, RegistryDatabase } from "@cadastre/store/registry";
import { hasElapsed } from "../../elapsed.ts";

/** SQL of queue statements that differs between the databases. */
export type QueueDialect = {
  /** Expression for the current time, in milliseconds since 1970. */
  readonly now: string;
  /** Makes a query lock the row it selects, and skip rows locked by others. */
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
    // SQLite locks the whole file for every write.
    unlocked: (query) => query,
  },
  postgres: {
    // The time of the statement, because the transaction may have started long before.
    now: "cast(extract(epoch from clock_timestamp()) * 1000 as bigint)",
    unlocked: (query) => {
      query.forUpdate().skipLocked();
      return query;
    },
  },
};
