import type { Knex, RegistryDatabase } from "@cadastre/store/registry";

/** SQL of queue statements that differs between the databases. */
export type QueueDialect = {
  /** Expression for the current time, in milliseconds since 1970. */
  readonly now: string;
  /** Makes a query lock the row it selects, and skip rows locked by others. */
  readonly unlocked: <Query extends Knex.QueryBuilder>(query: Query) => Query;
};

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
