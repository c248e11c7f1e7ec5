import { randomBytes } from "node:crypto";
import type { DamageReport } from "@cadastre/delivery";
import { createKeyDirectory } from "./access/key-directory.ts";
import { createRates } from "./access/rates.ts";
import { createScopes } from "./access/scopes.ts";
import { openTrust } from "./access/trust.ts";
import { createApp, type Services } from "./app.ts";
import { createAuditTrail } from "./audit/audit-trail.ts";
import { openAudit } from "./audit/open-audit.ts";
import { useFolder } from "./backup/folder-use.ts";
import { scopeOptions } from "./catalog.ts";
import { scheduleChecks } from "./check/scheduled-check.ts";
import type { Config } from "./config.ts";
import type { DataFolder } from "./data/data-folder.ts";
import { databasesOf } from "./data/databases.ts";
import { type Examples, readExamples } from "./data/examples.ts";
import { notes } from "./data/notes.ts";
import { startPruning } from "./data/pruning.ts";
import { openRegistry, requireRegistry } from "./data/registry.ts";
import { notePeppers, pepperReader, readSecrets } from "./data/secrets.ts";
import { damageLog } from "./delivery/damage-log.ts";
import { openExportDependencies } from "./delivery/dependencies.ts";
import { exportSource } from "./delivery/export-source.ts";
import { outputProfiles } from "./delivery/profiles.ts";
import { openDeliveries } from "./delivery/services.ts";
import { readSigningKeys } from "./delivery/signing-keys.ts";
import { startWorker } from "./delivery/start-worker.ts";
import { outcomeOf } from "./endpoint/routes.ts";
import { followActivation } from "./gates/activation.ts";
import { createAdminApp } from "./http/admin.ts";
import { monitorEventLoop } from "./http/event-loop.ts";
import { guardHeap } from "./http/heap-guard.ts";
import { MemoryBudget } from "./http/memory-budget.ts";
import { memoryLimitsOf } from "./http/memory-limits.ts";
import { createMetrics } from "./http/metrics.ts";
import { createReadiness } from "./http/readiness.ts";
import { type Listening, listen } from "./http/server.ts";
import { recentIdentities } from "./identity/recent-identities.ts";
import { createLog, errorFields, type Log } from "./log.ts";
import { readinessChecks } from "./readiness/checks.ts";
import { recentProfiles } from "./v1/recent-profiles.ts";

/** A running service. */
export type RunningService = {
  /** Base URL without a trailing slash, as a client on this machine reaches it. */
  readonly baseUrl: string;
  readonly port: number;
  /** Port of the metrics; undefined if none is configured. */
  readonly adminPort: number | undefined;
  /** False while no entity set is active, because nothing was published yet. */
  readonly isServing: boolean;
  /** Example requests that return data; undefined if the data was not prepared here. */
  readonly examples: Examples | undefined;
  /** Reports unready, finishes the requests in progress, and closes the data. */
  readonly stop: () => Promise<void>;
};

/**
 * Serves the folder's data. Only reads public keys of the issuer: nothing here can sign an entitlement. If the start fails, everything that
 * was opened is closed, so that the process can end.
 */
export async function startService(
  config: Config,
  folder: DataFolder,
  log: Log = createLog(config.logLevel),
): Promise<RunningService> {
  const opened: Close[] = [];
  try {
    return await start(config, folder, log, opened);
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
async function start(config: Config, folder: DataFolder, log: Log, opened: Close[]): Promise<RunningService> {
  const use = await useFolder(folder, config);
  opened.push(use.release);
  await requireRegistry(folder);
  const secrets = await readSecrets(folder);
  const { skipTokenKey } = secrets;
  const { adminPort } = config;
  const outputs = outputProfiles(config);
  const manifestKeys = await readSigningKeys(config, folder);
  const trust = await openTrust(config, folder, (error) =>
    log.warn(errorFields(error), "could not read the key set anew"),
  );
  opened.push(() => trust.keys.close());
  const limits = memoryLimitsOf(config);
  const store = await databasesOf(folder).openListings({
    threads: config.readers,
    heap: limits.threadHeap,
    buffers: limits.threadBuffers,
    mapped: limits.mapped,
    timeout: config.querySeconds * 1000,
    limits: { concurrent: config.concurrentQueries, scanSeconds: config.scanSeconds },
  });
  opened.push(() => store.close());
  const activation = await followActivation(store.builds, log);
  opened.push(() => activation.stop());
  const registry = await openRegistry(folder);
  opened.push(() => registry.close());
  await notePeppers(registry, secrets);
  const { deliveries: ledger, identities } = registry;
  const profiles = recentProfiles(registry.profiles);
  const scopes = createScopes(registry.entitlements, trust, scopeOptions);
  const exporting = await openExportDependencies({
    config,
    folder,
    registry,
    outputs,
    manifestKeys,
    profiles,
    skipTokenKey,
  });
  const source = exportSource({ store, identities, activation, config });
  const needed = { folder, builds: store.builds, registry, trust, activation };
  const readiness = createReadiness(
    readinessChecks({
      ...needed,
      partsPlace: exporting.partsPlace,
      parts: config.worker ? exporting.parts : undefined,
    }),
    { log },
  );
  const checks = scheduleChecks(folder, {
    hours: config.checkHours,
    heap: limits.threadHeap,
    log,
    onFinding: () => readiness.noteDamage?.(),
  });
  opened.push(checks.stop);
  const memory = new MemoryBudget({ ...limits, wait: config.querySeconds * 1000 });
  const eventLoop = adminPort === undefined ? undefined : monitorEventLoop();
  opened.push(() => eventLoop?.stop());
  const metrics = eventLoop && createMetrics({ store, readiness, memory, eventLoop });
  const heap = guardHeap();
  opened.push(heap.stop);
  const logDamage = damageLog(log);
  const onDamage = (report: DamageReport) => {
    metrics?.partDamaged();
    logDamage(report);
  };
  const auditSink = openAudit(config, folder.audit, process.stdout);
  await auditSink.append("");
  const audit = createAuditTrail(auditSink, outcomeOf);
  const services: Services = {
    config,
    log,
    store,
    memory,
    skipTokenKey,
    random: randomBytes,
    get activeEntitySets() {
      return activation.entitySets();
    },
    keys: createKeyDirectory({
      keys: registry.keys,
      peppers: pepperReader(folder),
      onFault: (error) => log.warn(errorFields(error), "could not note the use of a key"),
    }),
    scopes,
    identities: recentIdentities(identities),
    profiles,
    delivery: openDeliveries(exporting, { audit, source, skipTokenKey, onDamage }),
    rates: createRates(config),
    now: Date.now,
    metrics,
    readiness,
    heap,
  };
  await checks.waitForFirst();
  const worker = config.worker ? await startWorker(exporting, { scopes, log, onDamage }) : undefined;
  opened.push(() => worker?.stop());
  // Opened before the server and closed after it, so that metrics show the requests in progress while the service drains.
  const admin = await listenForOperator(services);
  opened.push(() => admin?.stop(0));
  const server = await listen(createApp(services), config, limits.heads);
  opened.push(() => server.stop(config.drainSeconds * 1000));
  opened.push(startPruning(store, config.tokenLife, ledger.retention.earliestCheckpoint, log));
  opened.push(readiness.stop);
  return {
    baseUrl: config.baseUrl ?? `http://${reachable(config.host)}:${server.port}`,
    port: server.port,
    adminPort: admin?.port,
    isServing: activation.entitySets().length > 0,
    examples: readExamples(await store.notes.get(notes.examples)),
    stop: () => closeAll(opened),
  };
}

async function listenForOperator({ config, log, metrics }: Services): Promise<Listening | undefined> {
  const { adminHost: host, adminPort: port } = config;
  return metrics === undefined || port === undefined
    ? undefined
    : listen(createAdminApp(metrics, log), { host, port });
}

/** Returns a host that a client on this machine can connect to, for a host that the service listens on. */
function reachable(host: string): string {
  if (host === "0.0.0.0") return "127.0.0.1";
  if (host === "::") return "[::1]";
  return host.includes(":") ? `[${host}]` : host;
}
