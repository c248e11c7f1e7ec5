import type { Knex } from "knex";
import { createConnectionPool, type PostgresConnectionOptions } from "../database/postgres-connections.ts";
import type { SchemaOptions } from "../database/schema-options.ts";
import { giveUp } from "./guarded.ts";
import { migrateRegistry } from "./migrate.ts";
import { type AccessRegistry, createRegistry } from "./registry.ts";

export type PostgresRegistryOptions = {
  /** Connection for `pg`: a URL, or an object. */
  readonly connection: PostgresConnectionOptions["connection"];
  /** Schema of the registry's tables. It is created if it does not exist. By default `cadastre_registry`. */
  readonly schema?: string | undefined;
  /** Maximum number of connections. By default 4. */
  readonly connections?: number | undefined;
  /** Timeout for getting a connection, and for each statement, in milliseconds. By default 5000. */
  readonly wait?: number | undefined;
} & Pick<SchemaOptions, "migration">;

/**
 * Opens a registry, and migrates its schema if needed.
 *
 * @throws {StoreError} `registry_unavailable`, `schema_newer`, `schema_older`
 */
export async function openPostgresRegistry(options: PostgresRegistryOptions): Promise<AccessRegistry> {
  const { connection, schema = "cadastre_registry", connections = 4, wait = 5000 } = options;
  const settings = { statement_timeout: String(Math.ceil(wait)) };
  const database = createConnectionPool({ connection, schemas: [schema] }, { connections, wait, settings });
  try {
    await migrateRegistry(database, (transaction) => excludeOthers(transaction, schema), options.migration);
    return createRegistry(database, (work) => work(), "postgres");
  } catch (error) {
    await database.destroy();
    return giveUp(error);
  }
}

/** Takes the lock of migrations, and creates the schema if it does not exist. */
async function excludeOthers(transaction: Knex.Transaction, schema: string): Promise<void> {
  await transaction.raw("select pg_advisory_xact_lock(hashtextextended(?, 0))", [
    `cadastre registry ${schema}`,
  ]);
  await transaction.raw("create schema if not exists ??", [schema]);
}
