import type { WritableStore } from "@cadastre/store";
import type { Log } from "../log.ts";

/** How often old versions are forgotten, in milliseconds. */
const interval = 10 * 60 * 1000;

/**
 * Forget, from time to time, the versions that no `$skiptoken` in force can ask for. Gives what ends it.
 *
 * @param life longest life of a token, in seconds
 */
export function startPruning(store: Pick<WritableStore, "prune">, life: number, log: Log): () => void {
  const prune = async () => {
    try {
      const versions = await store.prune(Date.now() - life * 1000);
      if (versions > 0) log.info({ versions }, "forgot old versions");
    } catch (error) {
      log.error({ error: error instanceof Error ? error.message : String(error) }, "could not prune");
    }
  };
  const timer = setInterval(() => void prune(), interval);
  timer.unref();
  return () => clearInterval(timer);
}
