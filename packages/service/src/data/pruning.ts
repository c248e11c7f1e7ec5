import type { WritableStore } from "@cadastre/store";
import type { Log } from "../log.ts";

/** How often old versions are forgotten, in milliseconds. */
const interval = 10 * 60 * 1000;

/**
 * Forget, from time to time, the versions that no `$skiptoken` in force can ask for, and no delivery. Gives what ends it.
 *
 * @param life longest life of a token, in seconds
 * @param kept gives the earliest checkpoint that a delivery still has to be built of
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
