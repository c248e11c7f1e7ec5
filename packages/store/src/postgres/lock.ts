import { createConnectionPool, type PostgresConnectionOptions } from "../database/postgres-connections.ts";

/** Time to wait for a connection, in milliseconds. */
const wait = 10_000;

/**
 * Calls `work` while no other process does so under the same name; the others wait. Keeps a connection and its transaction open
 * meanwhile.
 */
export async function withPostgresLock<T>(
  connection: PostgresConnectionOptions["connection"],
  name: string,
  work: () => Promise<T>,
): Promise<T> {
  const knex = createConnectionPool(
    { connection, schemas: ["public"] },
    { connections: 1, wait, settings: {} },
  );
  try {
    return await knex.transaction(async (transaction) => {
      await transaction.raw("set local idle_in_transaction_session_timeout = 0");
      await transaction.raw("select pg_advisory_xact_lock(hashtextextended(?, 0))", [name]);
      return work();
    });
  } finally {
    await knex.destroy();
  }
}
