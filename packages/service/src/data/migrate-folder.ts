import { join } from "node:path";
import { type Catalog, emptyDefinition } from "@cadastre/reso";
import type { Migration } from "@cadastre/store";
import { catalogVersion } from "../catalog.ts";
import type { Listings } from "../listings.ts";
import { backUp } from "./backup-file.ts";
import { addFirstCatalog, currentCatalog } from "./catalogs.ts";
import type { DataFolder } from "./data-folder.ts";
import { databasesOf } from "./databases.ts";
import { notes } from "./notes.ts";
import { openRegistry, withRegistry } from "./registry.ts";
import { findInvalidValues } from "./stored-values.ts";

/** Checks the records that an earlier version has stored. It reports faults and changes nothing. */
export type StoredRecordCheck = (
  store: Listings,
  folder: DataFolder,
  say: (line: string) => void,
) => Promise<void>;

/** Writes the stored values that ingest would reject today to a file in the folder. */
const reportInvalidValues: StoredRecordCheck = async (store, folder, say) => {
  say("checking the values of the stored records");
  const report = join(folder.path, "invalid-values.jsonl");
  const { records, invalid } = await findInvalidValues(store, { report });
  if (invalid > 0)
    say(
      `${invalid.toLocaleString("en-US")} of ${records.toLocaleString("en-US")} records have values that ingest rejects today. They are still served: see ${report}, and ingest these records again`,
    );
};

/**
 * Migrates the databases of a folder to the schema of this version, each in one transaction; a database that has the schema is only
 * read. A file is copied first. Afterwards the stored records are checked, once for each catalog version.
 *
 * @param say called with each step
 * @throws {DataError} if a database cannot be copied or migrated; it is unchanged then
 */
export async function migrateFolder(
  folder: DataFolder,
  say: (line: string) => void,
  checkRecords: StoredRecordCheck = reportInvalidValues,
): Promise<void> {
  const databases = databasesOf(folder);
  const migrationOf = (database: string): Migration => ({
    ...(folder.postgres === undefined ? { before: () => backUp(folder, database, catalogVersion, say) } : {}),
    onProgress: say,
  });
  const hasListings = await databases.hasListings();
  let catalog: Catalog | undefined;
  if (await databases.hasRegistry()) {
    const registry = await openRegistry(folder, migrationOf(databases.registryName));
    try {
      catalog = (await currentCatalog(registry.catalogs)).catalog;
      // A release before had its systems compiled in: from now on they are data.
      if (hasListings) await addFirstCatalog(registry.catalogs, catalog.definition);
    } finally {
      await registry.close();
    }
  }
  if (hasListings) {
    const migration = migrationOf(databases.listingsName);
    const store = await databases.openListings({ catalog, threads: 0, migration });
    try {
      if ((await store.notes.get(notes.checked)) !== String(catalogVersion)) {
        await checkRecords(store, folder, say);
        await store.notes.set(notes.checked, String(catalogVersion));
      }
    } finally {
      await store.close();
    }
  }
}

/**
 * Creates the tables that a PostgreSQL database lacks. A start then prepares no sample listings in it.
 *
 * @throws {DataError}
 */
export async function createDatabases(folder: DataFolder): Promise<void> {
  const { hasListings, openListings } = databasesOf(folder);
  const creates = !(await hasListings());
  if (creates) await withRegistry(folder, ({ catalogs }) => addFirstCatalog(catalogs, emptyDefinition));
  const store = await openListings({ threads: 0 }, creates);
  try {
    // The records of a database that exists may still have to be checked.
    if (creates || (await store.checkpoint()) === 0)
      await store.notes.set(notes.checked, String(catalogVersion));
  } finally {
    await store.close();
  }
  await (await openRegistry(folder)).close();
}
