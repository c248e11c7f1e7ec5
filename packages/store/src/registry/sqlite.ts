import { closeSync, openSync, statSync } from "node:fs";
import { LruCache } from "@cadastre/odata/lru-cache";
import Database, { type Statement } from "better-sqlite3";
import knex, { type Knex } from "knex";
import { isBookkeeping, keepChecksums, registerChecksum } from "../checksum/checksums.ts";
import { retryWhileBusy } from "../retry-while-busy.ts";
import type { SchemaOptions } from "../schema/migration.ts";
import { silentKnexLogger } from "../schema/silent.ts";
import { giveUp } from "./guarded.ts";
import { type AccessRegistry, createRegistry } from "./registry.ts";
import { migrateRegistry, stateOf } from "./schema/migrate.ts";

export type SqliteRegistryOptions = {
  /** Path of the database file. If it does not exist, it is created with access for its owner only. */
  readonly file: string;
  /** Maximum time to wait while another process writes, in milliseconds. By default 5000. */
  readonly wait?: number | undefined;
} & Pick<SchemaOptions, "migration">;

/**
 * Opens a registry, and migrates its file if needed.
 *
 * @throws {StoreError} `registry_unavailable`, `schema_newer`, `schema_older`
 */
export async function openSqliteRegistry(options: SqliteRegistryOptions): Promise<AccessRegistry> {
  const { file, wait = 5000, migration } = options;
  const database = connect(file);
  const attempt = retryWhileBusy(wait);
  try {
    createFile(file);
    await attempt(() => migrateAlone(database, migration));
    await attempt(async () => checksum(file));
    return createRegistry(database, attempt, "sqlite");
  } catch (error) {
    await database.destroy();
    return giveUp(error);
  }
}

/**
 * Creates the file if it does not exist. An existing file is not opened, because closing it would release the locks that other
 * connections of this process hold on it.
 */
function createFile(file: string): void {
  if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) closeSync(openSync(file, "a", 0o600));
}

const connect = (file: string): Knex =>
  knex({
    client: "better-sqlite3",
    connection: { filename: file },
    useNullAsDefault: true,
    log: silentKnexLogger,
    pool: {
      afterCreate: (connection: Database.Database, done: () => void) => {
        // Busy files are retried by `patientFor`.
        connection.pragma("busy_timeout = 0");
        connection.pragma("journal_mode = wal");
        // A revoked key must remain revoked after a power failure.
        connection.pragma("synchronous = full");
        registerChecksum(connection);
        keepStatements(connection);
        done();
      },
    },
  });

/** Capacity of a connection's LRU cache of prepared statements. */
const keptStatements = 100;

/**
 * Makes a connection cache prepared statements. Sending a part takes three statements, and preparing them takes as long as
 * running them.
 */
function keepStatements(connection: Database.Database): void {
  const kept = new LruCache<string, Statement>(keptStatements);
  const prepare = connection.prepare.bind(connection);
  connection.prepare = ((text: string) =>
    kept.get(text, () => prepare(text))) as Database.Database["prepare"];
}

async function migrateAlone(database: Knex, migration: SchemaOptions["migration"]): Promise<void> {
  if ((await stateOf(database)) === "current") return;
  await database.transaction(async (transaction) => {
    // The first statement must be a write to lock the file: SQLite may fail to get the lock after a read.
    await transaction.raw("pragma user_version = 1");
    await migrateRegistry(transaction, migration);
  });
}

function checksum(file: string): void {
  const database = new Database(file, { timeout: 0 });
  try {
    registerChecksum(database);
    keepChecksums(database, isBookkeeping);
  } finally {
    database.close();
  }
}
