import { setTimeout } from "node:timers/promises";
import { buildDelivery, type Claimed } from "./build.ts";
import { faultOf } from "./fault.ts";
import { keepLease } from "./lease.ts";
import type { WorkerMeans, WorkerOptions, WorkerSettings, WorkOutcome, WorkReport } from "./options.ts";
import { publishClaimed } from "./publication.ts";

/** Longest wait between two attempts, in milliseconds. */
const longestBackoff = 300_000;

type Settings = WorkerMeans & WorkerSettings;

/** Builds deliveries and publishes them, one after the other. Any number of workers may work on one ledger. */
export type Worker = {
  /** Build and publish what waits until the signal aborts. The delivery at hand is then given back, with the parts that are finished. */
  readonly run: (signal: AbortSignal) => Promise<void>;
  /** Build or publish the longest waiting delivery, and tell what became of it; undefined if none waits. */
  readonly work: (signal?: AbortSignal) => Promise<WorkReport | undefined>;
};

export function createWorker(options: WorkerOptions): Worker {
  const settings: Settings = { ...options, ...settingsOf(options) };
  return {
    work: (signal = new AbortController().signal) => work(settings, signal),
    run: async (signal) => {
      while (!signal.aborted) {
        const worked = await work(settings, signal).catch(() => undefined);
        if (worked === undefined) await pause(settings.poll, signal);
      }
    },
  };
}

const settingsOf = (options: WorkerOptions): WorkerSettings => ({
  lease: options.lease ?? 30_000,
  attempts: options.attempts ?? 8,
  poll: options.poll ?? 1000,
  backoff: options.backoff ?? 5000,
  clock: options.clock ?? Date.now,
  report: options.report ?? (() => {}),
  at: options.at ?? (() => {}),
});

const pause = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  setTimeout(milliseconds, undefined, { signal }).catch(() => {});

async function work(settings: Settings, stop: AbortSignal): Promise<WorkReport | undefined> {
  const { ledger, parts, destinations, name, lease, attempts, at } = settings;
  const publishes = destinations !== undefined;
  const claimed = await ledger.queue.claim(name, { lease, attempts, publishes });
  if (claimed === undefined) return undefined;
  const { claim, delivery } = claimed;
  const kept = keepLease(ledger.queue, claim, lease);
  const isBuilt = delivery.state === "publishing";
  const outcome = isBuilt || delivery.mode === "pull" ? "complete" : "sealed";
  let report: WorkReport = { delivery: delivery.id, outcome };
  try {
    await at("after_claim");
    const work = isBuilt ? publishClaimed : buildDelivery;
    await work(settings, claimed, AbortSignal.any([stop, kept.signal]));
  } catch (error) {
    report = await giveUp(settings, claimed, error, stop.aborted);
  } finally {
    await kept.stop();
  }
  // What is left over is swept another time.
  await parts.sweep(ledger.retention.claims).catch(() => {});
  settings.report(report);
  return report;
}

/** Do what an error calls for. What cannot be noted is found by whoever claims the delivery once the lease has ended. */
async function giveUp(
  { ledger: { queue }, attempts, backoff }: Settings,
  { claim, delivery }: Claimed,
  cause: unknown,
  isStopping: boolean,
): Promise<WorkReport> {
  const { remedy, code } = faultOf(cause);
  const reported = (outcome: WorkOutcome): WorkReport => ({ delivery: claim.id, outcome, code, cause });
  try {
    switch (remedy) {
      case "lost":
        return reported("lost");
      case "canceled":
      case "failed":
        await queue.end(claim, remedy, code);
        return reported(remedy);
      case "retry": {
        if (isStopping) {
          await queue.release(claim);
          return { delivery: claim.id, outcome: "released" };
        }
        const wait = Math.min(backoff * 2 ** (delivery.attempts - 1), longestBackoff);
        return reported(await queue.retry(claim, wait, attempts, code));
      }
    }
  } catch {
    return reported("lost");
  }
}
