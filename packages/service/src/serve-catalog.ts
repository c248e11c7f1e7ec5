import type { DamageReport } from "@cadastre/delivery";
import type { Express } from "express";
import { createScopes } from "./access/scopes.ts";
import type { TrustedIssuer } from "./access/trust.ts";
import { createApp, type Services } from "./app.ts";
import type { AuditTrail } from "./audit/audit-trail.ts";
import { scopeOptionsOf } from "./catalog.ts";
import type { VersionedCatalog } from "./data/catalogs.ts";
import { databasesOf } from "./data/databases.ts";
import { startPruning, versionLifeOf } from "./data/pruning.ts";
import { type ExportDependencies, ofCatalog } from "./delivery/dependencies.ts";
import { exportSource } from "./delivery/export-source.ts";
import { createDeliveryServices } from "./delivery/services.ts";
import { startWorker } from "./delivery/start-worker.ts";
import { createEntityEvents } from "./events/entity-events.ts";
import { startFeeds } from "./feeds/start-feeds.ts";
import { type Activation, followActivation } from "./gates/activation.ts";
import type { Listings } from "./listings.ts";

/** The part of a service that depends on the catalog. Another version of the catalog is served by another one. */
export type CatalogService = {
  readonly version: number;
  readonly store: Listings;
  readonly activation: Activation;
  readonly app: Express;
  /** Starts the work beside requests: the deletion of old versions of records, and in a worker deliveries and feeds. */
  readonly startWork: () => Promise<void>;
  /** Ends the work beside requests. */
  readonly stopWork: () => Promise<void>;
  /** Closes the store. No request may be in progress. */
  readonly close: () => Promise<void>;
};

/** Dependencies that all versions of the catalog share. */
export type Shared = Pick<
  Services,
  | "config"
  | "log"
  | "memory"
  | "skipTokenKey"
  | "random"
  | "keys"
  | "identities"
  | "profiles"
  | "rates"
  | "now"
  | "metrics"
  | "tracing"
  | "readiness"
  | "heap"
  | "signIn"
> & {
  readonly exporting: ExportDependencies;
  readonly trust: TrustedIssuer;
  readonly audit: AuditTrail;
  readonly onDamage: (report: DamageReport) => void;
  /** Options of the readers of the store. */
  readonly reading: Parameters<ReturnType<typeof databasesOf>["openListings"]>[0];
};

/** Longest time that a request waits until its events are made, in milliseconds. */
const eventWait = 2000;

/** Opens the store with a catalog, and creates the application that serves it. If that fails, the store is closed. */
export async function serveCatalog(
  { version, catalog }: VersionedCatalog,
  shared: Shared,
): Promise<CatalogService> {
  const exporting = ofCatalog(shared.exporting, catalog);
  const store = await databasesOf(exporting.folder).openListings({ ...shared.reading, catalog });
  try {
    const activation = await followActivation(store, shared.log);
    return { version, store, activation, ...serve(version, store, activation, exporting, shared) };
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** Creates the application over an open store, and the work beside it. */
function serve(
  version: number,
  store: Listings,
  activation: Activation,
  exporting: ExportDependencies,
  shared: Shared,
): Pick<CatalogService, "app" | "startWork" | "stopWork" | "close"> {
  const { config, log, tracing, trust, audit, onDamage, skipTokenKey } = shared;
  const { catalog } = store;
  const { registry } = exporting;
  const source = exportSource({ store, identities: registry.identities, activation, config });
  const { revision } = registry.changes;
  const scopes = createScopes(registry.entitlements, trust, scopeOptionsOf(catalog), undefined, revision);
  const events = config.extensions.includes("event")
    ? createEntityEvents({
        store,
        catalog,
        logs: registry.events,
        database: registry.database,
        catalogVersion: version,
        baseUrl: config.baseUrl,
        wait: eventWait,
        now: shared.now,
      })
    : undefined;
  const app = createApp({
    ...shared,
    catalog,
    store,
    events,
    get activeEntitySets() {
      return activation.entitySets();
    },
    scopes,
    delivery: createDeliveryServices(exporting, {
      audit,
      source,
      skipTokenKey,
      onDamage,
      onServed: (bytes) => shared.metrics?.partServed(bytes),
    }),
  });
  let stopWork: () => Promise<void> = async () => {};
  return {
    app,
    startWork: async () => {
      const worker = config.worker
        ? await startWorker(exporting, { scopes, catalogVersion: version, log, tracing, onDamage })
        : undefined;
      const feeds = config.worker
        ? await startFeeds(config, { catalog, folder: exporting.folder, registry, log })
        : undefined;
      const { earliestCheckpoint } = registry.deliveries.retention;
      const stopPruning = startPruning(store, versionLifeOf(config), earliestCheckpoint, log);
      stopWork = async () => {
        stopPruning();
        await Promise.all([worker?.stop(), feeds?.stop()]);
      };
    },
    stopWork: () => stopWork(),
    close: async () => {
      activation.stop();
      await events?.stop();
      await store.close();
    },
  };
}
