import { hostname } from "node:os";
import {
  createPublisher,
  createScheduler,
  createWebhookSender,
  createWorker,
  type OutputProfile,
  retain,
  type WebhookReport,
  type WorkReport,
} from "@cadastre/delivery";
import { signManifest } from "@cadastre/manifest";
import type { Registry } from "@cadastre/store/registry";
import { openSqliteStore } from "@cadastre/store/sqlite";
import type { Scopes } from "../access/scopes.ts";
import { storedResources } from "../catalog.ts";
import type { Config } from "../config.ts";
import type { DataFolder } from "../data/data-folder.ts";
import type { Secrets } from "../data/secrets.ts";
import { followActivation } from "../gates/activation.ts";
import { describe, type Log } from "../log.ts";
import { recentProfiles } from "../v1/recent-profiles.ts";
import { creditsOf } from "./credits.ts";
import { exportSource } from "./export-source.ts";
import { openDestinations } from "./open-destinations.ts";
import { webhookTerms } from "./open-webhooks.ts";
import { openParts } from "./parts.ts";
import type { SigningKeys } from "./signing-keys.ts";
import { startVerifier } from "./start-verifier.ts";

const day = 86_400_000;

/** How often what is over is removed, in milliseconds. */
const retentionInterval = 10 * 60 * 1000;

/** Deliveries that are published at once: one whose bucket is slow keeps no other one waiting. */
const publications = 4;

/** How long a page of an export may take, in milliseconds: nobody waits at the other end. */
const pageTimeout = 60_000;

export type WorkerOptions = {
  readonly config: Config;
  readonly folder: DataFolder;
  readonly registry: Registry;
  readonly scopes: Scopes;
  /** Those of the service, as long as both follow the same settings. */
  readonly outputs: readonly OutputProfile[];
  readonly manifestKeys: SigningKeys;
  readonly log: Log;
} & Pick<Secrets, "skipTokenKey">;

/**
 * Build what was asked for or is due, publish it if anything is pushed, tell webhooks, and remove what is over, until it is stopped. It reads the records by a thread of its own, so that
 * those who ask for records wait no longer.
 */
export async function startWorker({
  config,
  folder,
  registry,
  scopes,
  outputs,
  manifestKeys: { signing },
  skipTokenKey,
  log,
}: WorkerOptions) {
  const store = await openSqliteStore({
    file: folder.database,
    resources: storedResources,
    threads: 1,
    timeout: pageTimeout,
    // An export reads most of the file once: nothing is gained by keeping it.
    mapped: 0,
  });
  const activation = await followActivation(store.builds, log);
  const { identities, deliveries: ledger } = registry;
  const parts = await openParts(config, folder);
  const source = exportSource({ store, identities, activeEntitySets: activation.entitySets });
  const scopeOf = (customer: string) => scopes.of(customer, Date.now(), "fresh");
  const destinations = config.push ? openDestinations(config, registry, { skipTokenKey }) : undefined;
  const common = {
    ledger,
    parts,
    scopeOf,
    name: `${hostname()}:${process.pid}`,
    lease: config.leaseSeconds * 1000,
    report: (work: WorkReport) => note(log, work),
  };
  const worker = createWorker({ ...common, source, sign: (bytes) => signManifest(bytes, signing) });
  const publishers =
    destinations === undefined
      ? []
      : Array.from({ length: publications }, () => createPublisher({ ...common, destinations }));
  const profiles = recentProfiles(registry.profiles);
  const scheduler = createScheduler({
    registry: registry.subscriptions,
    destinations: registry.destinations,
    source,
    profiles: outputs,
    retention: config.retentionDays * day,
    creditsOf: (scope) => creditsOf(scope, profiles),
    scopeOf,
    poll: 1000,
    report: ({ subscription, outcome, cause }) => {
      if (outcome === "failed")
        log.error({ subscription, ...describe(cause) }, "could not take the next step of a subscription");
    },
  });
  const sender = createWebhookSender({
    ...webhookTerms(config, { skipTokenKey }),
    outbox: registry.webhooks.outbox,
    scopeOf,
    poll: 500,
    report: (sent) => noteSent(log, sent),
  });
  const clean = async () => {
    try {
      const { expired, removed } = await retain({ ledger, parts }, Date.now());
      if (expired + removed > 0) log.info({ expired, removed }, "removed what was over of deliveries");
    } catch (error) {
      log.error(describe(error), "could not remove what was over of deliveries");
    }
  };
  const stopping = new AbortController();
  const running = [worker, ...publishers, scheduler, sender].map((one) => one.run(stopping.signal));
  const working = Promise.all([...running, clean()]);
  const verifier = destinations && startVerifier(destinations, log);
  const timer = setInterval(() => void clean(), retentionInterval);
  timer.unref();
  return {
    /** Give the delivery at hand back, with the parts that are finished. */
    stop: async (): Promise<void> => {
      clearInterval(timer);
      verifier?.stop();
      stopping.abort();
      await working;
      activation.stop();
      await store.close();
    },
  };
}

function note(log: Log, { delivery, outcome, code, cause }: WorkReport): void {
  if (cause === undefined) log.info({ delivery, outcome }, "worked on a delivery");
  else log.error({ delivery, outcome, reason: code, ...describe(cause) }, "could not work on a delivery");
}

/** The address is its customer's: it is not logged. */
function noteSent(log: Log, { webhook, message, outcome, status, code, cause }: WebhookReport): void {
  const told = { webhook, webhookMessage: message, outcome, status, reason: code };
  if (cause === undefined) log.info(told, "worked on a message to a webhook");
  else log.error({ ...told, ...describe(cause) }, "could not work on a message to a webhook");
}
