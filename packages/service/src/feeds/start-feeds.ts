import type { Catalog } from "@cadastre/reso";
import type { Config } from "../config.ts";
import type { DataFolder } from "../data/data-folder.ts";
import { databasesOf } from "../data/databases.ts";
import type { Registry } from "../data/registry.ts";
import type { Log } from "../log.ts";
import { startFeedWorker } from "./feed-worker.ts";

/**
 * Starts to run due feeds in the process that calls, the service or `cadastre worker`, with a store of its own. Undefined if the configuration says not to, or if the role of the
 * database may not write records: the feeds are then left to other workers.
 */
export async function startFeeds(
  config: Pick<Config, "runsFeeds" | "feedRuns" | "leaseSeconds" | "maxShrink">,
  {
    catalog,
    folder,
    registry,
    log,
  }: {
    readonly catalog: Catalog;
    readonly folder: DataFolder;
    readonly registry: Pick<Registry, "feeds" | "identities">;
    readonly log: Log;
  },
): Promise<{ readonly stop: () => Promise<void> } | undefined> {
  if (!config.runsFeeds) return undefined;
  const store = await databasesOf(folder).openListings({ catalog, threads: 0 });
  if (!(await store.mayWrite())) {
    await store.close();
    log.warn(
      "feeds do not run in this process: its database role may not write records. Run one `cadastre worker` as cadastre_service for them, and set CADASTRE_FEEDS=false here",
    );
    return undefined;
  }
  const worker = startFeedWorker({
    store,
    feeds: registry.feeds,
    crosswalk: registry.identities,
    folder,
    maxShrink: config.maxShrink,
    lease: config.leaseSeconds * 1000,
    runs: config.feedRuns,
    log,
    now: Date.now,
  });
  return {
    stop: async () => {
      await worker.stop();
      await store.close();
    },
  };
}
