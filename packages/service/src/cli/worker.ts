import { Command } from "commander";
import { createScopes } from "../access/scopes.ts";
import { openTrust } from "../access/trust.ts";
import { scopeOptionsOf } from "../catalog.ts";
import { currentCatalog, type VersionedCatalog } from "../data/catalogs.ts";
import { readSecretsOf } from "../data/secrets.ts";
import { ofCatalog, openExportDependencies } from "../delivery/dependencies.ts";
import { openSigningKeys } from "../delivery/signing-keys.ts";
import { startWorker } from "../delivery/start-worker.ts";
import { startFeeds } from "../feeds/start-feeds.ts";
import { followCatalog } from "../follow-catalog.ts";
import { createLog, errorFields } from "../log.ts";
import { openTracing } from "../telemetry/open-tracing.ts";
import type { Tracing } from "../telemetry/tracing.ts";
import { recentProfiles } from "../v1/recent-profiles.ts";
import { startHeartbeat } from "../worker-heartbeat.ts";
import { withServiceRegistry } from "./data.ts";
import { nextSignal } from "./next-signal.ts";
import { printMessage } from "./outcome.ts";

/** `cadastre worker` */
export const workerCommand = (): Command =>
  new Command("worker")
    .description(
      "Build the deliveries that customers ask for, publish those that are pushed, and run the feeds that are due, until a signal stops it.",
    )
    .action(() =>
      withServiceRegistry(async (registry, folder, config) => {
        const log = createLog(config.logLevel);
        const { skipTokenKey } = await readSecretsOf(folder, registry);
        const first = await currentCatalog(registry.catalogs);
        const manifestKeys = await openSigningKeys(folder, registry);
        const trust = await openTrust(config, folder, {
          registry,
          onFailure: (error) => log.warn(errorFields(error), "could not read the key set anew"),
        });
        let tracing: Tracing | undefined;
        try {
          tracing = await openTracing(config.tracing, log);
          const exporting = await openExportDependencies({
            config,
            catalog: first.catalog,
            folder,
            registry,
            manifestKeys,
            profiles: recentProfiles(registry.profiles),
            skipTokenKey,
          });
          const start = async ({ version, catalog }: VersionedCatalog) => {
            const scopes = createScopes(registry.entitlements, trust, scopeOptionsOf(catalog));
            const worker = await startWorker(ofCatalog(exporting, catalog), {
              scopes,
              catalogVersion: version,
              log,
              tracing,
            });
            const feeds = await startFeeds(config, { catalog, folder, registry, log });
            return { stop: () => Promise.all([worker.stop(), feeds?.stop()]) };
          };
          let work = await start(first);
          const replace = async (next: VersionedCatalog) => {
            await work.stop();
            work = await start(next);
          };
          const stopHeartbeat = await startHeartbeat(registry, config, log);
          const stopFollowing = followCatalog(registry, first.version, replace, log);
          const stopped = nextSignal(["SIGINT", "SIGTERM"]);
          printMessage("Building deliveries. Stop with Ctrl-C.");
          await stopped;
          await stopFollowing();
          await stopHeartbeat();
          await work.stop();
        } finally {
          await tracing?.stop();
          trust.keys.close();
        }
      }),
    );
