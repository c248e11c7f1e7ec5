import { closeSync, openSync, statSync } from "node:fs";
import Database, { type Statement } from "better-sqlite3";
import knex, { type Knex } from "knex";
import { isBookkeeping, keepChecksums, registerChecksum } from "../checksum/checksums.ts";
import { patientFor } from "../patience.ts";
import { Recent } from "../recent.ts";
import type { SchemaOptions } from "../schema/migration.ts";
import { silent } from "../schema/silent.ts";
import { giveUp } from "./guarded.ts";
import { createRegistry, type Registry } from "./registry.ts";
import { migrate, stateOf } from "./schema/migrate.ts";

export type SqliteRegistryOptions = {
  /** Path of the database file; it is made, for its owner alone, if it does not exist. */
  readonly file: string;
  /** How long to wait for another process that writes, in milliseconds. By default 5000. */
  readonly wait?: number | undefined;
} & Pick<SchemaOptions, "migration">;

/**
 * Open a registry, and bring its file to the present schema.
 *
 * @throws {StoreError} `registry_unavailable`, `schema_newer`, `schema_older`
 */
export async function openSqliteRegistry(options: SqliteRegistryOptions): Promise<Registry> {
  const { file, wait = 5000, migration } = options;
  const database = connect(file);
  const attempt = patientFor(wait);
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

/** One that is there is not opened: to close it would take the locks that other connections of this process have on it. */
function createFile(file: string): void {
  if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) closeSync(openSync(file, "a", 0o600));
}

const connect = (file: string): Knex =>
  knex({
    client: "better-sqlite3",
    connection: { filename: file },
    useNullAsDefault: true,
    log: silent,
    pool: {
      afterCreate: (connection: Database.Database, done: () => void) => {
        // See `patientFor`.
        connection.pragma("busy_timeout = 0");
        connection.pragma("journal_mode = wal");
        // What is revoked stays so after a loss of power.
        connection.pragma("synchronous = full");
        registerChecksum(connection);
        keepStatements(connection);
        done();
      },
    },
  });

/** Statements that are kept prepared: those of the queries that come again and again. */
const keptStatements = 100;

/** Have a connection prepare a statement once: to send a part takes three, and to prepare them as long as the rest of them. */
function keepStatements(connection: Database.Database): void {
  const kept = new Recent<string, Statement>(keptStatements);
  const prepare = connection.prepare.bind(connection);
  connection.prepare = ((text: string) =>
    kept.get(text, () => prepare(text))) as Database.Database["prepare"];
}

async function migrateAlone(database: Knex, migration: SchemaOptions["migration"]): Promise<void> {
  if ((await stateOf(database)) === "current") return;
  await database.transaction(async (transaction) => {
    // A write comes first: it locks the file, which could not be done after a read.
    await transaction.raw("pragma user_version = 1");
    await migrate(transaction, migration);
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
