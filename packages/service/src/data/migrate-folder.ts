import { existsSync } from "node:fs";
import type { Migration } from "@cadastre/store";
import { catalogVersion } from "../catalog.ts";
import { backUp } from "./backup-file.ts";
import type { DataFolder } from "./data-folder.ts";
import { openListings } from "./listings.ts";
import { notes } from "./notes.ts";
import { openRegistry } from "./registry.ts";
import { type StoredRecordCheck, storedRecordChecks } from "./stored-records.ts";

/**
 * Bring the databases of a folder to the schema of this version. Each is copied first and changed in one transaction; one that has the
 * schema is only read. Afterwards the checks of stored records are run, once for each number of the catalog.
 *
 * @param say told each step
 * @throws {DataError} if a database cannot be copied, or not be migrated: it is left as it was
 */
export async function migrateFolder(
  folder: DataFolder,
  say: (line: string) => void,
  checks: readonly StoredRecordCheck[] = storedRecordChecks,
): Promise<void> {
  const migrationOf = (database: string): Migration => ({
    before: () => backUp(folder, database, catalogVersion, say),
    onProgress: say,
  });
  if (existsSync(folder.database)) {
    const store = await openListings(folder, { threads: 0, migration: migrationOf(folder.database) });
    try {
      if ((await store.notes.get(notes.checked)) !== String(catalogVersion)) {
        for (const { name, run } of checks) {
          say(`checking the stored records: ${name}`);
          await run(store, say);
        }
        await store.notes.set(notes.checked, String(catalogVersion));
      }
    } finally {
      await store.close();
    }
  }
  if (existsSync(folder.registry)) {
    const registry = await openRegistry(folder, migrationOf(folder.registry));
    await registry.close();
  }
}
