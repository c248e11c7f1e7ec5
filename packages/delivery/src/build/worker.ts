import { backoffDelay } from "@cadastre/manifest/retry";
import { DeliveryError } from "../errors.ts";
import { type JobTrace, untraced } from "../job-trace.ts";
import type { Delivery } from "../ledger/delivery.ts";
import type { DeliveryLedger } from "../ledger/ledger.ts";
import type { Claim, ClaimTerms, DeliveryQueue } from "../ledger/queue.ts";
import { pollForWork } from "../poll-for-work.ts";
import { buildDelivery, type Claimed } from "./build-delivery.ts";
import { workerFaultOf } from "./fault.ts";
import type {
  PublisherOptions,
  WorkerMeans,
  WorkerOptions,
  WorkerSettings,
  WorkOutcome,
  WorkReport,
} from "./options.ts";
import { publishClaimed } from "./publish-claimed.ts";

/** A lease that is renewed until it is stopped. */
export type KeptLease = {
  /** Aborts if the claim is lost. */
  readonly signal: AbortSignal;
  readonly stop: () => Promise<void>;
};

/**
 * Renews the lease of a claim periodically until it is stopped. `signal` aborts if the claim is lost. While the ledger is unreachable, that
 * is unknown and work goes on: effects under a lost claim are refused by its fencing token.
 */
export function keepLease(queue: Pick<DeliveryQueue, "extend">, claim: Claim, lease: number): KeptLease {
  const lost = new AbortController();
  let asking = Promise.resolve();
  const extend = () =>
    queue.extend(claim, lease).catch((error: unknown) => {
      if (error instanceof DeliveryError && error.code === "lease_lost") lost.abort(error);
    });
  const timer = setInterval(() => {
    asking = extend();
  }, lease / 3);
  return {
    signal: lost.signal,
    stop: async (): Promise<void> => {
      clearInterval(timer);
      await asking;
    },
  };
}

/** Returns the wait after a number of attempts that failed, in milliseconds, without jitter: workers claim one delivery each. */
export const waitAfterAttempts = (attempts: number, first: number): number =>
  backoffDelay({ first, longest: 300_000, jitter: 0 }, attempts);

/** Works on deliveries, one after the other. Any number of workers may work on one ledger. */
export type Worker = {
  /** Works on waiting deliveries until the signal aborts. The present delivery is then released, and keeps its finished parts. */
  readonly run: (signal: AbortSignal) => Promise<void>;
  /** Works on the delivery that has waited longest, and returns a report; undefined if none waits. */
  readonly work: (signal?: AbortSignal) => Promise<WorkReport | undefined>;
};

/** Builds deliveries. */
export function createWorker(options: WorkerOptions): Worker {
  const settings = { ...options, ...workerSettings(options) };
  const { ledger, parts } = settings;
  return workerOf(settings, {
    task: "build",
    perform: (claimed, signal, stages) => buildDelivery({ ...settings, stages }, claimed, signal),
    outcomeOf: ({ mode }) => (mode === "pull" ? "complete" : "sealed"),
    // Leftover files are removed by a later sweep.
    clean: () => parts.sweep(ledger.retention.claims).catch(() => {}),
  });
}

/** Publishes deliveries that are sealed to their destinations. */
export function createPublisher(options: PublisherOptions): Worker {
  const settings = { ...options, ...workerSettings(options) };
  return workerOf(settings, {
    task: "publish",
    perform: (claimed, signal, stages) =>
      stages.timeAsync("publish", () => publishClaimed(settings, claimed, signal)),
    outcomeOf: () => "complete",
    clean: async () => {},
  });
}

type Settings = WorkerSettings &
  Pick<WorkerMeans, "name"> & { readonly ledger: Pick<DeliveryLedger, "queue"> };

type WorkerJob = {
  readonly task: NonNullable<ClaimTerms["task"]>;
  readonly perform: (claimed: Claimed, signal: AbortSignal, stages: JobTrace) => Promise<void>;
  readonly outcomeOf: (delivery: Delivery) => WorkOutcome;
  readonly clean: () => Promise<unknown>;
};

const workerOf = (settings: Settings, job: WorkerJob): Worker => ({
  work: (signal = new AbortController().signal) => work(settings, job, signal),
  run: async (signal) => {
    const workOn = async () => (await work(settings, job, signal)) !== undefined;
    await pollForWork(workOn, { signal, interval: settings.poll, onFailure: settings.onFailure });
  },
});

export const workerSettings = (options: WorkerOptions | PublisherOptions): WorkerSettings => ({
  lease: options.lease ?? 30_000,
  attempts: options.attempts ?? 8,
  poll: options.poll ?? 1000,
  backoff: options.backoff ?? 5000,
  clock: options.clock ?? Date.now,
  report: options.report ?? (() => {}),
  onFailure: options.onFailure ?? (() => {}),
  trace: options.trace ?? untraced,
  at: options.at ?? (() => {}),
});

async function work(settings: Settings, job: WorkerJob, stop: AbortSignal): Promise<WorkReport | undefined> {
  const { ledger, name, lease, attempts, at, trace } = settings;
  const claimed = await ledger.queue.claim(name, { lease, attempts, task: job.task });
  if (claimed === undefined) return undefined;
  const { claim, delivery } = claimed;
  const kept = keepLease(ledger.queue, claim, lease);
  const stages = trace({ name: job.task, delivery: delivery.id });
  let report: WorkReport = { delivery: delivery.id, outcome: job.outcomeOf(delivery) };
  try {
    await at("after_claim");
    await job.perform(claimed, AbortSignal.any([stop, kept.signal]), stages);
  } catch (error) {
    report = await giveUp(settings, claimed, error, stop.aborted);
  } finally {
    await kept.stop();
    stages.end(report);
  }
  await job.clean();
  settings.report(report);
  return report;
}

/** Handles an error: retry, or end the delivery. If the ledger cannot be written, the next claim after the lease handles it. */
async function giveUp(
  { ledger: { queue }, attempts, backoff }: Settings,
  { claim, delivery }: Claimed,
  cause: unknown,
  isStopping: boolean,
): Promise<WorkReport> {
  const { remedy, code } = workerFaultOf(cause);
  const reported = (outcome: WorkOutcome): WorkReport => ({ delivery: claim.id, outcome, code, cause });
  try {
    if (remedy === "lost") return reported("lost");
    if (remedy !== "retry" && (await queue.end(claim, remedy, code))) return reported(remedy);
    if (isStopping) {
      await queue.release(claim);
      return { delivery: claim.id, outcome: "released" };
    }
    return reported(await queue.retry(claim, waitAfterAttempts(delivery.attempts, backoff), attempts, code));
  } catch {
    return reported("lost");
  }
}
