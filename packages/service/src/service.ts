import { randomBytes, randomUUID } from "node:crypto";
import type { Backlog, DamageReport } from "@cadastre/delivery";
import { createKeyDirectory } from "./access/key-directory.ts";
import { openTrust } from "./access/trust.ts";
import { createSharedLimits, type UsageTransport } from "./access/usage-exchange.ts";
import { usageInDatabase } from "./access/usage-in-database.ts";
import { createAuditTrail } from "./audit/audit-trail.ts";
import { openAudit } from "./audit/open-audit.ts";
import { useFolder } from "./backup/folder-use.ts";
import { scheduleChecks } from "./check/scheduled-check.ts";
import type { Config } from "./config.ts";
import { currentCatalog, type VersionedCatalog } from "./data/catalogs.ts";
import type { DataFolder } from "./data/data-folder.ts";
import { readExamples } from "./data/examples.ts";
import { notes } from "./data/notes.ts";
import { openRegistry, refuseLostRegistry } from "./data/registry.ts";
import { pepperReader, readSecretsOf } from "./data/secrets.ts";
import { damageLog } from "./delivery/damage-log.ts";
import { openExportDependencies } from "./delivery/dependencies.ts";
import { freeBytesFor } from "./delivery/parts-place.ts";
import { openSigningKeys } from "./delivery/signing-keys.ts";
import type { DemoSignIn } from "./demo/sign-in.ts";
import { outcomeOf } from "./endpoint/routes.ts";
import { followCatalog } from "./follow-catalog.ts";
import { lastPublished, servesRecords } from "./gates/activation.ts";
import { listenForOperator } from "./http/admin.ts";
import { measuredSubscriptions } from "./http/delivery-metrics.ts";
import { monitorEventLoop } from "./http/event-loop.ts";
import { guardHeap } from "./http/heap-guard.ts";
import { MemoryBudget } from "./http/memory-budget.ts";
import { memoryLimitsOf } from "./http/memory-limits.ts";
import { createMetrics } from "./http/metrics.ts";
import { createReadiness } from "./http/readiness.ts";
import { listen } from "./http/server.ts";
import { recentIdentities } from "./identity/recent-identities.ts";
import { createLog, errorFields, type Log } from "./log.ts";
import { readinessChecks } from "./readiness/checks.ts";
import type { RunningService } from "./running-service.ts";
import { type CatalogService, type Shared, serveCatalog } from "./serve-catalog.ts";
import { StoreUse } from "./store-use.ts";
import { openTracing } from "./telemetry/open-tracing.ts";
import { TtlCache } from "./ttl-cache.ts";
import { recentProfiles } from "./v1/recent-profiles.ts";
import { startHeartbeat } from "./worker-heartbeat.ts";

/** Part of the service's work that this process does. By default all of it. */
export type ServiceRole = {
  /** False if another process of the machine builds deliveries and deletes old versions of records. */
  readonly worksInBackground: boolean;
  /** False if another process of the machine checks the databases and listens on the admin port. */
  readonly supervises: boolean;
  /** Called at the first sign that a database is damaged. */
  readonly onDamage?: () => void;
  /** Id of the machine that its processes have in common. By default a new one. */
  readonly machine?: string;
  /** Exchanges the use of limits with the other processes of the machine. */
  readonly siblings?: UsageTransport;
  /** Sign-in with demo keys. By default none is offered. */
  readonly signIn?: DemoSignIn | undefined;
  /** Time when the databases were made or checked, if they are as they were then: see `takeWholeStop`. */
  readonly lastCheck?: number | undefined;
  /** Called before the port is opened: who gets an answer may stop the service at once. */
  readonly onReady?: () => void;
};

/** Role of a service in one process. */
export const wholeService: ServiceRole = { worksInBackground: true, supervises: true };

/**
 * Serves the folder's data. Only reads public keys of the issuer: nothing here can sign an entitlement. If the start fails, everything that
 * was opened is closed, so that the process can end.
 */
export async function startService(
  config: Config,
  folder: DataFolder,
  log: Log = createLog(config.logLevel),
  role: ServiceRole = wholeService,
): Promise<RunningService> {
  const opened: Close[] = [];
  try {
    return await start(config, folder, log, role, opened);
  } catch (error) {
    await closeAll(opened);
    throw error;
  }
}

type Close = () => unknown;

/** Closes in the reverse order of opening. */
async function closeAll(opened: readonly Close[]): Promise<void> {
  for (const close of opened.toReversed()) await close();
}

/** @param opened collects the functions that close what was opened */
async function start(
  config: Config,
  folder: DataFolder,
  log: Log,
  role: ServiceRole,
  opened: Close[],
): Promise<RunningService> {
  const lock = await useFolder(folder, config);
  opened.push(lock.release);
  let noteWhole = async () => {};
  opened.push(() => noteWhole());
  await refuseLostRegistry(folder);
  const tracing = await openTracing(config.tracing, log);
  opened.push(() => tracing?.stop());
  const registry = await openRegistry(folder);
  opened.push(() => registry.close());
  const { skipTokenKey } = await readSecretsOf(folder, registry);
  const { adminPort } = config;
  const manifestKeys = await openSigningKeys(folder, registry);
  const trust = await openTrust(config, folder, {
    registry,
    onFailure: (error) => log.warn(errorFields(error), "could not read the key set anew"),
  });
  opened.push(() => trust.keys.close());
  const limits = memoryLimitsOf(config);
  const limitsShared = createSharedLimits(config);
  const { machine = randomUUID(), siblings, signIn, lastCheck } = role;
  const transports = [siblings, registry.usage && usageInDatabase(registry.usage, machine)];
  opened.push(
    limitsShared.start(
      transports.filter((one) => one !== undefined),
      log,
    ),
  );
  registry.changes.follow();
  const { revision } = registry.changes;
  const profiles = recentProfiles(registry.profiles, undefined, revision);
  const first = await currentCatalog(registry.catalogs);
  const { catalog } = first;
  const exporting = await openExportDependencies({
    config,
    catalog,
    folder,
    registry,
    manifestKeys,
    profiles,
    skipTokenKey,
  });
  // Replaced when another version of the catalog comes into force.
  let serving: CatalogService | undefined;
  const store = () => servedBy(serving).store;
  const readiness = createReadiness(
    readinessChecks({
      folder,
      registry,
      trust,
      builds: { current: (resource) => store().builds.current(resource) },
      activation: { entitySets: () => servedBy(serving).activation.entitySets() },
      partsPlace: exporting.partsPlace,
      parts: config.worker ? exporting.parts : undefined,
    }),
    {
      log,
      onDamage: () => {
        noteWhole = async () => {};
        role.onDamage?.();
      },
    },
  );
  const checks = scheduleChecks(folder, {
    hours: role.supervises ? config.checkHours : 0,
    heap: limits.threadHeap,
    log,
    onFinding: readiness.noteDamage,
    lastCheck,
  });
  noteWhole = checks.noteWhole;
  opened.push(checks.stop);
  const memory = new MemoryBudget({ ...limits, wait: config.querySeconds * 1000 });
  const eventLoop = adminPort === undefined ? undefined : monitorEventLoop();
  opened.push(() => eventLoop?.stop());
  const backlogs = new TtlCache<Backlog>();
  const use = new StoreUse(store);
  const metrics =
    eventLoop &&
    createMetrics({
      store: use,
      readiness,
      memory,
      eventLoop,
      backlog: () => backlogs.get("", registry.backlog),
      published: () => lastPublished(store().builds),
      deliveries: {
        figures: () => registry.operations.figures(measuredSubscriptions),
        freeBytes: () => freeBytesFor(config, folder),
      },
      feeds: registry.feeds.list,
    });
  const heap = guardHeap();
  opened.push(heap.stop);
  const logDamage = damageLog(log);
  const onDamage = (report: DamageReport) => {
    metrics?.partDamaged();
    logDamage(report);
  };
  const auditSink = openAudit(config, folder.audit, process.stdout);
  await auditSink.append("");
  const shared: Shared = {
    config,
    log,
    memory,
    skipTokenKey,
    random: randomBytes,
    keys: createKeyDirectory({
      keys: registry.keys,
      peppers: pepperReader(folder, registry),
      revision,
      onFault: (error) => log.warn(errorFields(error), "could not note the use of a key"),
    }),
    identities: recentIdentities(registry.identities),
    profiles,
    rates: limitsShared.rates,
    now: Date.now,
    metrics,
    tracing,
    readiness,
    heap,
    signIn,
    exporting,
    trust,
    audit: createAuditTrail(auditSink, outcomeOf),
    onDamage,
    reading: {
      threads: config.readers,
      startsThread: true,
      heap: limits.threadHeap,
      buffers: limits.threadBuffers,
      pageCache: limits.pageCache,
      timeout: config.querySeconds * 1000,
      limits: {
        concurrent: config.concurrentQueries,
        scanSeconds: config.scanSeconds,
        usage: limitsShared.queries,
      },
    },
  };
  serving = await serveCatalog(first, shared);
  opened.push(() => serving?.close());
  await checks.waitForFirst();
  if (role.worksInBackground) await serving.startWork();
  opened.push(() => serving?.stopWork());
  if (role.worksInBackground && config.worker) opened.push(await startHeartbeat(registry, config, log));
  // Opened before the server and closed after it, so that metrics show the requests in progress while the service drains.
  const admin = role.supervises ? await listenForOperator(config, metrics, log) : undefined;
  opened.push(() => admin?.stop(0));
  // Stores of earlier versions of the catalog, whose last requests have not ended.
  const closing = new Set<Promise<void>>();
  opened.push(() => Promise.all(closing));
  role.onReady?.();
  const server = await listen(serving.app, config, limits.heads);
  opened.push(() => server.stop(config.drainSeconds * 1000, config.drainWaitSeconds * 1000));
  const replace = async (next: VersionedCatalog) => {
    const earlier = servedBy(serving);
    const later = await serveCatalog(next, shared);
    serving = later;
    const ended = server.replace(later.app);
    await earlier.stopWork();
    const close = async () => {
      await ended;
      use.keep(earlier.store);
      await earlier.close();
    };
    const closed = close().finally(() => closing.delete(closed));
    closing.add(closed);
    if (role.worksInBackground) await later.startWork();
  };
  opened.push(followCatalog(registry, first.version, replace, log));
  opened.push(readiness.stop);
  return {
    baseUrl: config.baseUrl ?? `http://${reachable(config.host)}:${server.port}`,
    port: server.port,
    adminPort: admin?.port,
    isServing: servesRecords(serving.activation.entitySets()),
    examples: readExamples(await serving.store.notes.get(notes.examples)),
    metrics,
    noteDamage: readiness.noteDamage,
    stop: () => closeAll(opened),
  };
}

/** @throws {Error} before the first version of the catalog is served */
function servedBy(serving: CatalogService | undefined): CatalogService {
  if (serving === undefined) throw new Error("nothing is served yet");
  return serving;
}

/** Returns a host that a client on this machine can connect to, for a host that the service listens on. */
function reachable(host: string): string {
  if (host === "0.0.0.0") return "127.0.0.1";
  if (host === "::") return "[::1]";
  return host.includes(":") ? `[${host}]` : host;
}
