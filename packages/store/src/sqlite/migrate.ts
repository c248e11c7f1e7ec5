import { identifier, sql, sqlite } from "@cadastre/odata";
import { registerFunctions } from "@cadastre/odata/sqlite";
import Database from "better-sqlite3";
import type { Knex } from "knex";
import {
  forgetChecksum,
  isBookkeeping,
  keepChecksums,
  type OwnNames,
  registerChecksum,
} from "../checksum/checksums.ts";
import { retryWhileBusy } from "../database/retry-while-busy.ts";
import type { SchemaOptions } from "../database/schema-options.ts";
import { createSqliteKnex } from "../database/sqlite-connection.ts";
import type { CatalogQueries } from "../migration/found.ts";
import { type MigratedSchema, migrateListings, type SchemaTarget } from "../migration/migrate.ts";
import type { SchemaTransaction } from "../migration/schema-transaction.ts";
import { indexObjects, type SchemaDialect } from "../schema/object.ts";
import { tableOf } from "../schema/table.ts";
import type { StoredResource } from "../stored-resource.ts";
import { declaredType, storedEncoding } from "./layout/columns.ts";
import { createDatasets, datasetId } from "./layout/datasets.ts";
import { createPlaces, dropPlaces } from "./layout/places.ts";
import { gatherStatistics } from "./layout/statistics.ts";
import { createTexts, dropTexts, textTables } from "./layout/texts.ts";
import { registerSha256, sha256Of, sqliteSession } from "./session.ts";

const dialect: SchemaDialect = {
  dialect: sqlite,
  formOf: storedEncoding,
  declaredType,
  recordType: "text",
  sorted: ({ name }) => identifier(name),
  datasetId,
  // A file has no partitions, so its keys need no dataset.
  primaryKey: ({ key }) => key.map(({ name }) => name),
  sha256: sha256Of,
  pointsVersion: "rtree 1",
  textsVersion: "fts5 1",
};

const catalog: CatalogQueries = {
  relations: sql`select "name" from "sqlite_schema"`,
  columns: sql`select "table"."name", "column"."name" from "sqlite_schema" as "table"
  join pragma_table_info("table"."name") as "column"
  where "table"."type" = 'table' and "table"."sql" not like 'create virtual%'`,
};

/**
 * Size of the pages of a new file, in bytes. A listing of 64 fields takes 2.8 kB, and is never divided if it fits in a page: of 4 kB each
 * would waste a third. With larger pages a small commit writes more.
 */
export const sqlitePageSize = 16_384;

/** Retries for at most a minute while another process writes. */
const attempt = retryWhileBusy(60_000);

/** Migrates the file to the schema of the resources, see `migrateListings`. A file that is current is not changed. */
export async function migrateSqlite(
  file: string,
  resources: readonly StoredResource[],
  options: SchemaOptions,
): Promise<MigratedSchema> {
  const database = new Database(file);
  // Called only once the file is accepted, so that a refused file is not written to. A file that has pages keeps their size.
  const useWriteAheadLog = () => {
    database.pragma(`page_size = ${sqlitePageSize}`);
    database.pragma("journal_mode = wal");
  };
  const target: SchemaTarget = {
    resources,
    dialect,
    catalog,
    options,
    read: (work) => work(sqliteSession(database)),
    transaction: (work) => {
      useWriteAheadLog();
      return withKnex(file, (knex) => attempt(() => inTransaction(knex, work)));
    },
  };
  try {
    const migrated = await migrateListings(target);
    useWriteAheadLog();
    registerFunctions(database);
    registerChecksum(database);
    keepChecksums(database, ownNamePredicate(resources));
    return migrated;
  } finally {
    database.close();
  }
}

/**
 * Returns a predicate for the store's own tables and indexes: those of the resources, their R*Trees and FTS5 tables, and the shadow
 * tables of these.
 */
function ownNamePredicate(resources: readonly StoredResource[]): OwnNames {
  const own = new Set(
    resources
      .map(tableOf)
      .flatMap((table) => [
        table.name,
        table.closed,
        table.staged,
        table.endings,
        ...indexObjects(table, dialect).map(({ name }) => name),
        ...table.points.flatMap(({ name }) => ["", "_node", "_parent", "_rowid"].map((end) => name + end)),
        ...table.texts.flatMap(({ name }) => textTables.map((end) => name + end)),
      ]),
  );
  return (name) => isBookkeeping(name) || own.has(name);
}

async function withKnex<T>(filename: string, work: (knex: Knex) => Promise<T>): Promise<T> {
  const database = createSqliteKnex(filename, (connection) => {
    // Unsafe mode allows writing while coverage is being read.
    connection.unsafeMode(true);
    registerFunctions(connection);
    registerSha256(connection);
    registerChecksum(connection);
  });
  try {
    return await work(database);
  } finally {
    await database.destroy();
  }
}

const inTransaction = <T>(database: Knex, work: (transaction: SchemaTransaction) => Promise<T>): Promise<T> =>
  database.transaction(async (transaction) => {
    const { acquireConnection } = transaction.client as {
      acquireConnection: () => Promise<Database.Database>;
    };
    const connection = await acquireConnection.call(transaction.client);
    // Starts with a write to take the write lock: a transaction that has started with a read cannot always upgrade its lock.
    connection.pragma("user_version = 1");
    createDatasets(connection);
    const result = await work({
      knex: transaction,
      session: sqliteSession(connection),
      beforeColumns: async (table) => forgetChecksum(connection, table),
      createPoints: async (table, point) => createPlaces(connection, table, point),
      dropPoints: async (name) => dropPlaces(connection, name),
      createTexts: async (table, text) => createTexts(connection, table, text),
      dropTexts: async (name) => dropTexts(connection, name),
    });
    gatherStatistics(connection);
    return result;
  });
