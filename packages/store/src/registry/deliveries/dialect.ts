import type { Knex } from "knex";

/** What the databases do differently for a queue. */
export type QueueDialect = {
  /** SQL of the present time, in milliseconds since 1970. */
  readonly now: string;
  /** Has a query lock the row that it finds, and pass over those that others have locked. */
  readonly unlocked: <Query extends Knex.QueryBuilder>(query: Query) => Query;
};

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
