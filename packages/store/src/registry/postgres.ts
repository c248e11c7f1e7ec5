import type { Knex } from "knex";
import { createSchemaIfAbsent } from "../database/create-schema.ts";
import { createConnectionPool, type PostgresConnectionOptions } from "../database/postgres-connections.ts";
import { isAcquireTimeout } from "../database/postgres-faults.ts";
import type { SchemaOptions } from "../database/schema-options.ts";
import { type AuditTransaction, createRegistryAudit, type RegistryAudit } from "./audit.ts";
import { announcement, createChangeListener } from "./changes.ts";
import { databaseClock } from "./database-clock.ts";
import { giveUp } from "./guarded.ts";
import { knexLookUps } from "./look-ups.ts";
import { migrateRegistry } from "./migrate.ts";
import { type AccessRegistry, createRegistry } from "./registry.ts";

export type PostgresRegistryOptions = {
  /** Connection for `pg` to the primary: a URL, or an object. */
  readonly connection: PostgresConnectionOptions["connection"];
  /** Schema of the registry's tables. It is created if it does not exist. By default `cadastre_registry`. */
  readonly schema?: string | undefined;
  /** Maximum number of connections. By default 4. */
  readonly connections?: number | undefined;
  /** Timeout for getting a connection, and for each statement, in milliseconds. By default 5000. */
  readonly wait?: number | undefined;
} & Pick<SchemaOptions, "migration" | "existing">;

/**
 * Opens a registry, and migrates its schema if needed.
 *
 * @throws {StoreError} `registry_unavailable`, `schema_newer`, `schema_older`, `schema_absent`
 */
export async function openPostgresRegistry(options: PostgresRegistryOptions): Promise<AccessRegistry> {
  const { connection, schema = "cadastre_registry", connections = 4, wait = 5000 } = options;
  const settings = { statement_timeout: String(Math.ceil(wait)) };
  const database = createConnectionPool(
    { connection, schemas: [schema] },
    { connections, wait, settings, server: "primary" },
  );
  try {
    await requireUsage(database, schema);
    await migrateRegistry(database, (transaction) => excludeOthers(transaction, schema), options);
    // Whoever misses a notification finds the change when it looks again.
    const announce = () => database.raw(announcement).then(ignore, ignore);
    const notifications = { ...createChangeListener(connection), announce };
    const lookUps = knexLookUps(database);
    return createRegistry(database, (work) => work(), "postgres", database, lookUps, notifications);
  } catch (error) {
    await database.destroy();
    return giveUp(error);
  }
}

/** Times that an opening registry waits for its first connection: no client waits for it, and the server may be starting. */
const openingAttempts = 4;

/** Throws the error of a schema that the user may not use: its tables would seem not to exist. */
async function requireUsage(database: Knex, schema: string, attempts = openingAttempts): Promise<void> {
  try {
    await readUsage(database, schema);
  } catch (error) {
    if (attempts === 1 || !isAcquireTimeout(error)) throw error;
    await requireUsage(database, schema, attempts - 1);
  }
}

async function readUsage(database: Knex, schema: string): Promise<void> {
  const hidden = await database<{ readonly nspname: string }>("pg_catalog.pg_namespace")
    .where({ nspname: schema })
    .whereRaw("not has_schema_privilege(oid, 'usage')")
    .first("nspname");
  if (hidden === undefined) return;
  throw Object.assign(new Error(`permission denied for schema ${schema}`), { code: "42501" });
}

const ignore = (): void => {};

/** Takes the lock of migrations, and creates the schema if it does not exist. */
async function excludeOthers(transaction: Knex.Transaction, schema: string): Promise<void> {
  await transaction.raw("select pg_advisory_xact_lock(hashtextextended(?, 0))", [
    `cadastre registry ${schema}`,
  ]);
  await createSchemaIfAbsent(transaction, schema);
}

/**
 * Opens a registry for auditing. The read transaction lasts until `close`.
 *
 * @throws {StoreError} `registry_unavailable`
 */
export async function openPostgresRegistryAudit(
  options: Pick<PostgresRegistryOptions, "connection" | "schema" | "wait">,
): Promise<RegistryAudit> {
  const { connection, schema = "cadastre_registry", wait = 5000 } = options;
  const database = createConnectionPool(
    { connection, schemas: [schema] },
    { connections: 1, wait, settings: {} },
  );
  try {
    await requireUsage(database, schema);
    const transaction = await database.transaction({ isolationLevel: "repeatable read", readOnly: true });
    const tables = await transaction("pg_catalog.pg_tables").where({ schemaname: schema }).pluck("tablename");
    const close = async () => {
      await transaction.rollback();
      await database.destroy();
    };
    const { postgres: now } = databaseClock;
    return createRegistryAudit({ now, tables: new Set(tables), rows: rowReader(transaction), close });
  } catch (error) {
    await database.destroy();
    return giveUp(error);
  }
}

/** Number of rows that an audit fetches at once. */
const fetched = 1000;

/** Returns a function that reads the rows of a statement: with a cursor if it has no values, which a cursor does not take. */
function rowReader(transaction: Knex.Transaction): AuditTransaction["rows"] {
  let cursors = 0;
  const run = async (sql: string, values: readonly unknown[] = []) =>
    (await transaction.raw<{ rows: readonly unknown[] }>(sql, values as Knex.RawBinding[])).rows;
  return async function* read(sql, values) {
    if (values.length > 0) return yield* await run(sql, values);
    const cursor = `audit_${++cursors}`;
    await run(`declare ${cursor} no scroll cursor for ${sql}`);
    for (;;) {
      const rows = await run(`fetch ${fetched} from ${cursor}`);
      yield* rows;
      if (rows.length < fetched) break;
    }
    await run(`close ${cursor}`);
  };
}
