import { closeSync, openSync, statSync } from "node:fs";
import { LruCache } from "@cadastre/odata/lru-cache";
import Database, { type Statement } from "better-sqlite3";
import type { Knex } from "knex";
import { isBookkeeping, keepChecksums, registerChecksum } from "../checksum/checksums.ts";
import { retryWhileBusy } from "../database/retry-while-busy.ts";
import type { SchemaOptions } from "../database/schema-options.ts";
import { createSqliteKnex } from "../database/sqlite-connection.ts";
import { createRegistryAudit, type RegistryAudit } from "./audit.ts";
import { ThreadReader } from "./background-reader.ts";
import { databaseClock } from "./database-clock.ts";
import { giveUp } from "./guarded.ts";
import { fileLookUps } from "./look-ups.ts";
import { migrateRegistry } from "./migrate.ts";
import { type AccessRegistry, createRegistry } from "./registry.ts";

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
    await attempt(() => migrateRegistry(database, lockToWrite, { migration }));
    await attempt(async () => checksum(file));
    return createRegistry(database, attempt, "sqlite", new ThreadReader(file), fileLookUps(file));
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
  createSqliteKnex(file, (connection) => {
    connection.pragma("journal_mode = wal");
    // A revoked key must remain revoked after a power failure.
    connection.pragma("synchronous = full");
    registerChecksum(connection);
    keepStatements(connection);
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

/** A write takes the lock of the file. It must be the first statement: SQLite may fail to get the lock after a read. */
const lockToWrite = (transaction: Knex.Transaction) => transaction.raw("pragma user_version = 1");

/** Creates the checksums that tables of the file lack, see `keepChecksums`. */
function checksum(file: string): void {
  const database = new Database(file, { timeout: 0 });
  try {
    registerChecksum(database);
    keepChecksums(database, isBookkeeping);
  } finally {
    database.close();
  }
}

/**
 * Opens a registry file for auditing. The read transaction lasts until `close`.
 *
 * @throws {StoreError} `registry_unavailable`
 */
export function openSqliteRegistryAudit(file: string): RegistryAudit {
  const database = openToRead(file);
  const tables = database.prepare("select name from sqlite_schema where type = 'table'").pluck().all();
  return createRegistryAudit({
    now: databaseClock.sqlite,
    tables: new Set(tables as readonly string[]),
    async *rows(sql, values) {
      yield* database.prepare(sql).iterate(...values);
    },
    close: async () => void database.close(),
  });
}

function openToRead(file: string): Database.Database {
  try {
    const database = new Database(file, { readonly: true, fileMustExist: true });
    database.exec("begin");
    database.prepare("select count(*) from sqlite_schema").get();
    return database;
  } catch (error) {
    return giveUp(error);
  }
}
