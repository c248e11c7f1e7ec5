import { basename } from "node:path";
import { isRestorePending, isStaging, restoredFolders, stagingFolders } from "../backup/swap.ts";
import type { Config } from "../config.ts";
import type { DataFolder } from "../data/data-folder.ts";
import { databasesOf } from "../data/databases.ts";
import { openRegistryAudit } from "../data/registry.ts";
import { checkDatabases } from "./check-databases.ts";
import { checkParts, type PartsProgress } from "./check-parts.ts";
import { checkRegistry } from "./check-registry.ts";
import type { Finding } from "./findings.ts";

/**
 * Reads everything in a data folder and yields every fault. Changes nothing, and may run while the folder is served.
 *
 * @param progress called for each part that was read
 */
export async function* checkFolder(
  folder: DataFolder,
  config: Config,
  progress: PartsProgress = () => {},
): AsyncGenerator<Finding> {
  if (isRestorePending(folder)) {
    yield { code: "restore_unfinished", subject: folder.path, detail: "a restore was cut off" };
    return;
  }
  for (const place of Object.values(stagingFolders(restoredFolders(folder, config))))
    if (isStaging(place))
      yield {
        code: "restore_leftover",
        subject: place,
        detail: "a restore was cut off before it replaced anything",
      };
  let isReliable = await databasesOf(folder).hasRegistry();
  // PostgreSQL checks its own pages.
  if (folder.postgres === undefined)
    for (const finding of checkDatabases(folder)) {
      if (finding.subject === basename(folder.registry)) isReliable = false;
      yield finding;
    }
  // The other checks need an undamaged registry.
  if (!isReliable) return;
  const audit = await openRegistryAudit(folder);
  try {
    yield* checkRegistry(audit, folder, config);
    yield* checkParts(audit, folder, config, progress);
  } finally {
    await audit.close();
  }
}
