import { identifier, sqlite } from "@cadastre/odata";
import { registerFunctions } from "@cadastre/odata/sqlite";
import Database from "better-sqlite3";
import knex from "knex";
import { keepChecksums, registerChecksum } from "../checksum/checksums.ts";
import { columnValues } from "../read/columns.ts";
import type { Member } from "../record/members.ts";
import { createIndexes, type IndexForms, migrate } from "../schema/migrate.ts";
import { silent } from "../schema/silent.ts";
import { type TableSchema, tableOf } from "../schema/table.ts";
import type { StoredResource } from "../store.ts";
import { declaredType, formOf } from "./columns.ts";
import { createDatasets } from "./datasets.ts";
import { createPlaces } from "./places.ts";

const indexForms: IndexForms = { dialect: sqlite, sorted: ({ name }) => identifier(name) };

/** Bring the file to the present schema, see `migrate`. */
export async function migrateSqlite(
  file: string,
  resources: readonly StoredResource[],
): Promise<ReadonlyMap<string, ReadonlyMap<string, Member>>> {
  const tables = resources.map(tableOf);
  const members = await migrateWithKnex(file, resources, tables);
  const database = new Database(file);
  registerFunctions(database);
  registerChecksum(database);
  createDatasets(database);
  for (const table of tables) createPlaces(database, table);
  keepChecksums(database);
  database.close();
  return members;
}

async function migrateWithKnex(
  file: string,
  resources: readonly StoredResource[],
  tables: readonly TableSchema[],
): Promise<ReadonlyMap<string, ReadonlyMap<string, Member>>> {
  const database = knex({
    client: "better-sqlite3",
    connection: { filename: file },
    useNullAsDefault: true,
    log: silent,
    pool: {
      afterCreate: (connection: Database.Database, done: () => void) => {
        connection.pragma("journal_mode = wal");
        registerFunctions(connection);
        registerChecksum(connection);
        done();
      },
    },
  });
  try {
    const members = await migrate(
      database,
      resources,
      { column: declaredType, text: "text" },
      (columns, record) => columnValues(columns, (name) => record[name], formOf),
    );
    for (const table of tables) await createIndexes(database, table, indexForms);
    return members;
  } finally {
    await database.destroy();
  }
}
