import type { WritableStore } from "@cadastre/store";
import type { Config } from "../config.ts";
import type { Log } from "../log.ts";

/** Interval at which old versions are deleted, in milliseconds. */
const interval = 10 * 60 * 1000;

/** Returns how long old versions of records may be asked for, in seconds: by a `$skiptoken`, and by a delta link. */
export const versionLifeOf = ({
  tokenLife,
  deltaLife,
  extensions,
}: Pick<Config, "tokenLife" | "deltaLife" | "extensions">): number =>
  extensions.includes("delta") ? Math.max(tokenLife, deltaLife) : tokenLife;

/**
 * Periodically deletes the old versions of records that neither a valid token nor a delivery can refer to. Returns a function that
 * stops it.
 *
 * @param life maximum lifetime of a token, in seconds
 * @param kept returns the earliest checkpoint from which a delivery still has to be built
 */
export function startPruning(
  store: Pick<WritableStore, "prune">,
  life: number,
  kept: () => Promise<number | undefined>,
  log: Log,
): () => void {
  const prune = async () => {
    try {
      const versions = await store.prune(Date.now() - life * 1000, undefined, await kept());
      if (versions > 0) log.info({ versions }, "forgot old versions");
    } catch (error) {
      log.error({ error: error instanceof Error ? error.message : String(error) }, "could not prune");
    }
  };
  const timer = setInterval(() => void prune(), interval);
  timer.unref();
  return () => clearInterval(timer);
}
