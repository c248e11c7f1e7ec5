import { type FileLock, lockFile } from "@cadastre/store/sqlite";
import { finishRestore, isRestorePending } from "../backup/swap.ts";
import type { Config } from "../config.ts";
import { DataError } from "./data-error.ts";
import type { DataFolder } from "./data-folder.ts";

/**
 * Takes a shared lock on the folder, which ends with the process. A restore that was interrupted while it put files in place is
 * finished first.
 *
 * @throws {DataError} while a restore is under way
 */
export async function useFolder(folder: DataFolder, config: Pick<Config, "partsFolder">): Promise<FileLock> {
  for (;;) {
    const shared = lockFile(folder.lock, "shared");
    if (shared === undefined)
      throw new DataError(`${folder.path} is being restored: wait until that has ended`);
    // Looked at under the lock: a restore may have begun, and been cut off, a moment before.
    if (!isRestorePending(folder)) return shared;
    shared.release();
    const alone = takeAlone(folder);
    try {
      // Another program may have finished it meanwhile.
      if (isRestorePending(folder)) await finishRestore(folder, config);
    } finally {
      alone.release();
    }
  }
}

/**
 * Takes the exclusive lock on the folder, for a restore.
 *
 * @throws {DataError} while another program uses it
 */
export function takeAlone(folder: DataFolder): FileLock {
  const lock = lockFile(folder.lock, "exclusive");
  if (lock === undefined)
    throw new DataError(
      `${folder.path} is in use: stop the service, its workers and other commands that use the folder first`,
    );
  return lock;
}
