import { currentCatalog, type VersionedCatalog } from "./data/catalogs.ts";
import type { Registry } from "./data/registry.ts";
import { errorFields, type Log } from "./log.ts";
import { takesEffectWithin } from "./takes-effect.ts";

/** Interval at which a running program looks for another version of the catalog, in milliseconds. */
const interval = takesEffectWithin / 2;

/**
 * Calls `change` with each version of the catalog that comes into force, one at a time. A version that cannot be served is logged and tried
 * again; what was served before is served on. Returns a function that stops it, after the change in progress.
 */
export function followCatalog(
  { catalogs }: Pick<Registry, "catalogs">,
  served: number,
  change: (catalog: VersionedCatalog) => Promise<void>,
  log: Log,
): () => Promise<void> {
  let version = served;
  let looking: Promise<void> = Promise.resolve();
  const look = async () => {
    try {
      if ((await catalogs.currentVersion()) === version) return;
      const found = await currentCatalog(catalogs);
      await change(found);
      version = found.version;
      log.info({ catalogVersion: version }, "serves another version of the catalog");
    } catch (error) {
      log.error(errorFields(error), "could not serve another version of the catalog");
    }
  };
  let isLooking = false;
  const timer = setInterval(() => {
    if (isLooking) return;
    isLooking = true;
    looking = look().finally(() => {
      isLooking = false;
    });
  }, interval);
  timer.unref();
  return async () => {
    clearInterval(timer);
    await looking;
  };
}
