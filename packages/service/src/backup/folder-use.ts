import { chownSync, existsSync, statSync } from "node:fs";
import { type FileLock, type LockMode, lockFile } from "@cadastre/store/sqlite";
import type { Config } from "../config.ts";
import { DataError } from "../data/data-error.ts";
import type { DataFolder } from "../data/data-folder.ts";
import { finishRestore, isRestorePending } from "./swap.ts";

/** Nobody restores a folder whose databases are in PostgreSQL, and it may be read-only. */
const noLock: FileLock = { release: () => {} };

/**
 * Takes a shared lock on the folder, which is released when the process ends at the latest. A restore that was interrupted while it put
 * files in place is finished first.
 *
 * @throws {DataError} while a restore is running, or if the lock file belongs to another user
 */
export async function useFolder(folder: DataFolder, config: Pick<Config, "partsFolder">): Promise<FileLock> {
  if (folder.postgres !== undefined) return noLock;
  for (;;) {
    const shared = lockFolder(folder, "shared");
    if (shared === undefined)
      throw new DataError(`${folder.path} is being restored: wait until that has ended`);
    // Checked while holding the lock, because a restore may have started and been interrupted just before.
    if (!isRestorePending(folder)) return shared;
    shared.release();
    const alone = lockExclusively(folder);
    try {
      // Another program may have finished it in the meantime.
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
export function lockExclusively(folder: DataFolder): FileLock {
  const lock = lockFolder(folder, "exclusive");
  if (lock === undefined)
    throw new DataError(
      `${folder.path} is in use: stop the service, its workers and other commands that use the folder first`,
    );
  return lock;
}

/** @throws {DataError} if the lock file belongs to another user */
function lockFolder({ path, lock }: DataFolder, mode: LockMode): FileLock | undefined {
  const isNew = !existsSync(lock);
  try {
    const held = lockFile(lock, mode);
    if (isNew) giveToOwnerOf(path, lock);
    return held;
  } catch (cause) {
    throw lockError(lock, cause) ?? cause;
  }
}

/** Gives the lock file to the owner of the folder: if root creates it, the owner could not open it. */
function giveToOwnerOf(folder: string, file: string): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(folder);
  chownSync(file, uid, gid);
}

const noRights = new Set(["EACCES", "EPERM", "SQLITE_CANTOPEN", "SQLITE_READONLY", "SQLITE_PERM"]);

function lockError(lock: string, cause: unknown): DataError | undefined {
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  const owner = statSync(lock, { throwIfNoEntry: false })?.uid;
  const user = process.getuid?.();
  if (!noRights.has(code) || owner === undefined || user === undefined) return undefined;
  const remedy =
    owner === user
      ? `run \`chmod 600 ${lock}\``
      : `it belongs to the user ${owner}, and this program runs as the user ${user}. Run \`chown ${user} ${lock}\` as root, and every command as the user of the service`;
  return new DataError(`${lock} cannot be read and written: ${remedy} (${code})`, { cause });
}
