import { statSync } from "node:fs";
import type { Catalog } from "@cadastre/reso";
import { openSqliteRegistry, openSqliteRegistryAudit } from "@cadastre/store/registry";
import { openSqliteStore } from "@cadastre/store/sqlite";
import { catalogVersion, storedResources } from "../catalog.ts";
import { pathExists } from "../file-error.ts";
import { toCatalog } from "./catalogs.ts";
import type { DataFolder } from "./data-folder.ts";
import { type Databases, registryWait, requireSchema, type SchemaRemedies } from "./database-engine.ts";

const remedies: SchemaRemedies = {
  schema_newer:
    "was written by a later version: start that version, or put back the copy that was made before the upgrade",
  schema_absent:
    "is not a database of listings, or was emptied: move it away and put back a copy of it, such as `cadastre restore` does",
  schema_older:
    "is of an earlier version: stop the service that has it open and run `npm run cadastre -- migrate`, or start the service, which migrates it",
  schema_unsupported:
    "cannot be migrated in place: go on with the version that wrote it, or start this one on an empty folder (CADASTRE_LISTINGS=0) and run `npm run cadastre -- ingest`",
};

/** Returns the databases in the files of a folder. */
export const sqliteDatabases = ({
  database: listings,
  registry,
}: Pick<DataFolder, "database" | "registry">): Databases => ({
  listingsName: listings,
  registryName: registry,
  hasListings: async () => pathExists(listings),
  hasRegistry: async () => isFile(registry),
  openListings: async ({ catalog: given, ...options }, creates = false) => {
    const catalog = given ?? (await catalogIn(registry));
    const store = await requireSchema(listings, remedies, () =>
      openSqliteStore({
        migration: "refuse",
        ...options,
        existing: !creates,
        file: listings,
        resources: storedResources(catalog),
        version: catalogVersion,
      }),
    );
    return Object.assign(store, { catalog });
  },
  openRegistry: (migration) =>
    requireSchema(registry, remedies, () =>
      openSqliteRegistry({ file: registry, wait: registryWait, migration }),
    ),
  openRegistryAudit: async () => openSqliteRegistryAudit(registry),
  requireRegistrySchema: (audit) => requireSchema(registry, remedies, audit.requireCurrent),
  explain: (error) => error,
});

const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() === true;

/** Returns the catalog in force. */
async function catalogIn(registry: string): Promise<Catalog> {
  const audit = isFile(registry) ? openSqliteRegistryAudit(registry) : undefined;
  try {
    return (await toCatalog(await audit?.catalog())).catalog;
  } finally {
    await audit?.close();
  }
}
