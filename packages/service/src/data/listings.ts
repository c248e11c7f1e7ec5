import { existsSync } from "node:fs";
import { StoreError, type StoreErrorCode, type WritableStore } from "@cadastre/store";
import { openSqliteStore, type SqliteStoreOptions } from "@cadastre/store/sqlite";
import { catalogVersion, storedResources } from "../catalog.ts";
import { DataError } from "./data-error.ts";
import type { DataFolder } from "./data-folder.ts";

type Options = Omit<SqliteStoreOptions, "file" | "resources" | "version">;

/**
 * Opens the listings database of a folder. A database of an earlier version is refused unless the options say how to migrate it.
 *
 * @throws {DataError}
 */
export const openListings = (
  { database: file }: Pick<DataFolder, "database">,
  options: Options,
): Promise<WritableStore> =>
  requireSchema(file, () =>
    openSqliteStore({
      migration: "refuse",
      ...options,
      // A new database is filled under another name. A file with this name is always a complete database.
      existing: existsSync(file),
      file,
      resources: storedResources,
      version: catalogVersion,
    }),
  );

/** Remedies for a schema that is not this version's, by error code. */
const remedies: Partial<Record<StoreErrorCode, string>> = {
  schema_newer:
    "was written by a later version: start that version, or put back the copy that was made before the upgrade",
  schema_absent:
    "is not a database of listings, or was emptied: move it away and put back a copy of it, such as `cadastre restore` does",
  schema_older:
    "is of an earlier version: stop the service that has it open and run `npm run cadastre -- migrate`, or start the service, which migrates it",
  schema_unsupported:
    "cannot be migrated in place: go on with the version that wrote it, or start this one on an empty folder (CADASTRE_LISTINGS=0) and run `npm run cadastre -- ingest`",
};

/**
 * Opens a database.
 *
 * @throws {DataError} with a remedy, if its schema is not this version's
 */
export async function requireSchema<T>(file: string, open: () => Promise<T>): Promise<T> {
  try {
    return await open();
  } catch (cause) {
    const remedy = cause instanceof StoreError ? remedies[cause.code] : undefined;
    if (remedy === undefined) throw cause;
    throw new DataError(`${file} ${remedy} (${(cause as StoreError).message})`, { cause });
  }
}
