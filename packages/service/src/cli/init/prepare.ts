import { useFolder } from "../../backup/folder-use.ts";
import type { Config } from "../../config.ts";
import { withDataFolder } from "../../data/data-error.ts";
import { openConfiguredFolder } from "../../data/data-folder.ts";
import { databasesOf } from "../../data/databases.ts";
import type { PreparationProgress } from "../../data/fill-listings.ts";
import { createDatabases } from "../../data/migrate-folder.ts";
import { prepareListings } from "../../data/prepare-listings.ts";
import { refuseLostRegistry, withRegistry } from "../../data/registry.ts";
import { readSecretsOf } from "../../data/secrets.ts";

const silent: PreparationProgress = { started() {}, loaded() {}, done() {}, kept() {} };

/** Creates the databases and secrets that the configured folder lacks, without records. Databases that exist stay as they are. */
export const prepareEmptyDatabases = (config: Config): Promise<void> =>
  withDataFolder(config.dataFolder, async () => {
    const folder = await openConfiguredFolder(config);
    const use = await useFolder(folder, config);
    try {
      await refuseLostRegistry(folder);
      if (folder.postgres === undefined) await prepareListings(folder, 0, silent);
      else await createDatabases(folder);
      await withRegistry(folder, (registry) => readSecretsOf(folder, registry));
    } finally {
      use.release();
    }
  });

/**
 * Opens the databases in PostgreSQL as the service will. Returns the name of the user if it may change tables, which a service need not.
 *
 * @throws {DataError} if the user may not use them
 */
export const userWhoChangesTables = (config: Config): Promise<string | undefined> =>
  withDataFolder(config.dataFolder, async () => {
    const folder = await openConfiguredFolder(config);
    if (folder.postgres === undefined) return undefined;
    const { openListings, openRegistryAudit } = databasesOf(folder);
    await (await openListings({ threads: 0 })).close();
    const audit = await openRegistryAudit();
    try {
      const users = audit.prepare<{ readonly name: string }>(
        "cadastre_registry",
        `select rolname as "name" from pg_roles where rolname = current_user and (rolsuper or has_schema_privilege('cadastre_registry', 'create'))`,
      );
      return (await users.first())?.name;
    } finally {
      await audit.close();
    }
  });
