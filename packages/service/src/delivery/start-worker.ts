import { hostname } from "node:os";
import {
  createPublisher,
  createRebuilder,
  createScheduler,
  createWebhookSender,
  createWorker,
  type DamageReport,
  type Destinations,
  type PublisherOptions,
  pollForWork,
  retain,
  type SchedulerOptions,
  type WebhookReport,
  type WebhookSenderOptions,
  type WorkerOptions,
  type WorkReport,
} from "@cadastre/delivery";
import { signManifest } from "@cadastre/manifest";
import type { Scopes } from "../access/scopes.ts";
import { createAuditTrail } from "../audit/audit-trail.ts";
import { openAudit } from "../audit/open-audit.ts";
import { databasesOf } from "../data/databases.ts";
import { outcomeOf } from "../endpoint/routes.ts";
import { createEntityEvents } from "../events/entity-events.ts";
import { eventFeed } from "../events/event-feed.ts";
import { followActivation } from "../gates/activation.ts";
import { memoryLimitsOf } from "../http/memory-limits.ts";
import { errorFields, type Log } from "../log.ts";
import type { Tracing } from "../telemetry/tracing.ts";
import { damageLog } from "./damage-log.ts";
import type { ExportDependencies } from "./dependencies.ts";
import { exportSource } from "./export-source.ts";
import { pointerLog } from "./pointer-log.ts";

/** Interval in which an idle worker polls for work, in milliseconds. */
const poll = 250;

/** Interval in which expired deliveries are removed, in milliseconds. */
const retentionInterval = 10 * 60 * 1000;

/** Deliveries that are published concurrently: a slow bucket does not delay the others. */
const publications = 4;

/** Longest time that the query of an export page may take, in milliseconds. No client waits for it. */
const pageTimeout = 60_000;

/** Longest time that the making of events is waited for before it is looked at again, in milliseconds. It goes on meanwhile. */
const eventWait = 60_000;

/** Services that a worker needs besides those of all exports. */
export type WorkerServices = {
  readonly scopes: Scopes;
  /** Version of the catalog of the dependencies. */
  readonly catalogVersion: number;
  readonly log: Log;
  /** Undefined: no traces are recorded. */
  readonly tracing?: Tracing | undefined;
  /** Called when a part is found to be damaged while it is published. By default it is logged. */
  readonly onDamage?: (report: DamageReport) => void;
};

/** A running worker. */
export type RunningWorker = {
  /** Returns the delivery in progress to the queue, keeping the parts that are finished. */
  readonly stop: () => Promise<void>;
};

/**
 * Starts the background work on deliveries: builds those that were requested or are due, publishes them if push is enabled, rebuilds
 * damaged parts, calls webhooks, and removes expired deliveries. It queries the records in its own thread, so that requests are not
 * delayed.
 */
export async function startWorker(
  exporting: ExportDependencies,
  { scopes, catalogVersion, log, tracing, onDamage = damageLog(log) }: WorkerServices,
): Promise<RunningWorker> {
  const { config, catalog, folder, registry, parts } = exporting;
  const { threadHeap, pageCache } = memoryLimitsOf(config);
  const store = await databasesOf(folder).openListings({
    catalog,
    threads: 1,
    heap: threadHeap,
    pageCache,
    timeout: pageTimeout,
  });
  const activation = await followActivation(store, log);
  const { identities, deliveries: ledger } = registry;
  const source = exportSource({ store, identities, activation, config });
  const destinations = config.push ? exporting.destinations : undefined;
  const scopeOf = (customer: string) => scopes.of(customer, Date.now(), "fresh");
  const name = `${hostname()}:${process.pid}`;
  const common = {
    ledger,
    parts,
    scopeOf,
    name,
    lease: config.leaseSeconds * 1000,
    poll,
    report: (work: WorkReport) => note(log, work),
    onFailure: failureLog(log),
    trace: tracing?.job,
  };
  const sign = async (bytes: Uint8Array) => signManifest(bytes, (await exporting.manifestKeys()).signing);
  const events = createEntityEvents({
    store,
    catalog,
    logs: registry.events,
    database: registry.database,
    catalogVersion,
    baseUrl: config.baseUrl,
    wait: eventWait,
    now: Date.now,
  });
  const feed = config.extensions.includes("event")
    ? eventFeed(events, { store, logs: registry.events, activation, log })
    : undefined;
  const audit = createAuditTrail(openAudit(config, folder.audit, process.stdout), outcomeOf);
  const onPointer = pointerLog(log, audit, name);
  const building: WorkerOptions = { ...common, source, sign };
  const workers = [
    createWorker(building),
    createRebuilder(building),
    ...publishersOf(destinations && { ...common, destinations, onDamage, onPointer }),
    schedulerOf(exporting, { source, scopeOf, log }),
    senderOf(exporting, { scopeOf, log, trace: tracing?.job, events: feed }),
  ];
  const clean = () => cleanUp({ ledger, parts }, log);
  const stopping = new AbortController();
  const working = Promise.all([...workers.map((one) => one.run(stopping.signal)), clean()]);
  const verifier = destinations && startVerifier(destinations, log);
  const timer = setInterval(() => void clean(), retentionInterval);
  timer.unref();
  return {
    stop: async () => {
      clearInterval(timer);
      verifier?.stop();
      stopping.abort();
      await working;
      activation.stop();
      await events.stop();
      await store.close();
    },
  };
}

/** Logs that work cannot be looked for. It is told once, not at each poll. */
const failureLog =
  (log: Log) =>
  (error: unknown): void =>
    log.error(errorFields(error), "could not look for work on deliveries");

/** Returns no publisher if push is not enabled. */
const publishersOf = (options: PublisherOptions | undefined) =>
  options === undefined ? [] : Array.from({ length: publications }, () => createPublisher(options));

const schedulerOf = (
  { registry, outputs, retention, creditsOf }: ExportDependencies,
  { log, ...means }: Pick<SchedulerOptions, "source" | "scopeOf"> & { readonly log: Log },
) =>
  createScheduler({
    ...means,
    registry: registry.subscriptions,
    destinations: registry.destinations,
    profiles: outputs,
    retention,
    creditsOf,
    poll,
    onFailure: failureLog(log),
    report: ({ subscription, outcome, cause }) => {
      if (outcome === "failed")
        log.error({ subscription, ...errorFields(cause) }, "could not take the next step of a subscription");
    },
  });

const senderOf = (
  { registry, webhookTerms }: ExportDependencies,
  { log, ...means }: Pick<WebhookSenderOptions, "scopeOf" | "trace" | "events"> & { readonly log: Log },
) =>
  createWebhookSender({
    ...webhookTerms,
    ...means,
    outbox: registry.webhooks.outbox,
    poll,
    onFailure: failureLog(log),
    report: (sent) => noteSent(log, sent),
  });

/** Verifies waiting destinations one after the other until it is stopped. An interrupted verification is repeated later. */
function startVerifier({ verifyNext }: Pick<Destinations, "verifyNext">, log: Log) {
  const stopping = new AbortController();
  const { signal } = stopping;
  const verify = async () => {
    const verified = await verifyNext();
    if (verified === undefined) return false;
    const { id: destination, state: status, failure, pointerDenied } = verified;
    const isPointerDenied = pointerDenied !== null;
    log.info({ destination, status, failure, isPointerDenied }, "verified a destination");
    return true;
  };
  void pollForWork(verify, {
    signal,
    interval: poll,
    onFailure: (error) => log.error(errorFields(error), "could not verify a destination"),
  });
  return { stop: (): void => stopping.abort() };
}

async function cleanUp(kept: Pick<WorkerOptions, "ledger" | "parts">, log: Log): Promise<void> {
  try {
    const { expired, removed } = await retain(kept, Date.now());
    if (expired + removed > 0) log.info({ expired, removed }, "removed what was over of deliveries");
  } catch (error) {
    log.error(errorFields(error), "could not remove what was over of deliveries");
  }
}

function note(log: Log, { delivery, outcome, code, cause }: WorkReport): void {
  if (cause === undefined) log.info({ delivery, outcome }, "worked on a delivery");
  else log.error({ delivery, outcome, reason: code, ...errorFields(cause) }, "could not work on a delivery");
}

/** Logs an attempt. The URL belongs to the customer and is not logged. */
function noteSent(log: Log, { webhook, message, outcome, status, code, cause }: WebhookReport): void {
  const told = { webhook, webhookMessage: message, outcome, status, reason: code };
  if (cause === undefined) log.info(told, "worked on a message to a webhook");
  else log.error({ ...told, ...errorFields(cause) }, "could not work on a message to a webhook");
}
