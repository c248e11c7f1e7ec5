import type { Knex } from "knex";

/**
 * Creates a schema of PostgreSQL if it does not exist. The transaction must hold the lock that keeps others from creating it.
 *
 * `create schema if not exists` alone is not enough: it looks in a cache of the connection, which may not know yet what was committed
 * while the transaction waited for its lock, and it needs the right to create schemas even where the schema exists.
 */
export async function createSchemaIfAbsent(transaction: Knex, schema: string): Promise<void> {
  const found = await transaction("pg_catalog.pg_namespace").where({ nspname: schema }).select("nspname");
  if (found.length === 0) await transaction.raw("create schema ??", [schema]);
}
