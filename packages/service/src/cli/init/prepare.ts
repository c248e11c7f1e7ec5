import { useFolder } from "../../backup/folder-use.ts";
import type { Config } from "../../config.ts";
import { withDataFolder } from "../../data/data-error.ts";
import { openConfiguredFolder } from "../../data/data-folder.ts";
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
