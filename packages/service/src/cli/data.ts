import { useFolder } from "../backup/folder-use.ts";
import { isRestorePending } from "../backup/swap.ts";
import { type Config, readConfig } from "../config.ts";
import { withDataFolder } from "../data/data-error.ts";
import { type DataFolder, openConfiguredFolder } from "../data/data-folder.ts";
import { databasesOf } from "../data/databases.ts";
import type { Registry } from "../data/registry.ts";
import { withRegistry } from "../data/registry.ts";
import { pathExists } from "../file-error.ts";
import type { Listings } from "../listings.ts";
import { CommandRefused } from "./outcome.ts";

/** Calls `work` with the registry of the configured data folder. Does not create a missing one. */
export const withServiceRegistry = <T>(
  work: (registry: Registry, folder: DataFolder, config: Config) => Promise<T>,
): Promise<T> =>
  withServiceFolder("registry", (folder, config) =>
    withRegistry(folder, (registry) => work(registry, folder, config)),
  );

/** Calls `work` with the listings database and the registry of the configured data folder. */
export const withServiceStore = <T>(
  work: (store: Listings, folder: DataFolder, registry: Registry, config: Config) => Promise<T>,
): Promise<T> =>
  withServiceFolder("database", async (folder, config) => {
    const store = await databasesOf(folder).openListings({ threads: 0 });
    try {
      return await withRegistry(folder, (registry) => work(store, folder, registry, config));
    } finally {
      await store.close();
    }
  });

/**
 * Calls `work` with the configured data folder, if it has the needed database, while holding a lock that keeps a restore out. A restore that
 * was interrupted is finished first.
 *
 * @throws {CommandRefused} if the database does not exist
 * @throws {DataError} while a restore is running
 */
export function withServiceFolder<T>(
  needed: "registry" | "database",
  work: (folder: DataFolder, config: Config) => Promise<T>,
): Promise<T> {
  const config = readConfig(process.env);
  const { dataFolder, postgres } = config;
  return withDataFolder(dataFolder, async () => {
    if (postgres === undefined && !pathExists(dataFolder)) throw new CommandRefused(missing(dataFolder));
    const folder = await openConfiguredFolder(config);
    // No lock file is created in a folder that has no database.
    if (postgres === undefined && !isRestorePending(folder) && !pathExists(folder[needed]))
      throw new CommandRefused(missing(folder[needed]));
    const use = await useFolder(folder, config);
    try {
      return await work(folder, config);
    } finally {
      use.release();
    }
  });
}

const missing = (path: string) =>
  `${path} does not exist: set CADASTRE_DATA to the folder of a service that was started once`;

/** Returns the warning of commands that stage records in a database of sample listings. */
export const sampleWarning = ({ path }: DataFolder): string =>
  `${path} holds sample listings, which stay beside these records. To serve only your own records, start with CADASTRE_LISTINGS=0 on an empty folder.`;
