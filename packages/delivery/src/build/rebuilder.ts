import { EntitlementError } from "@cadastre/entitlement";
import { StoreError } from "@cadastre/store";
import { DeliveryError, type DeliveryErrorCode } from "../errors.ts";
import type { ClaimedDamage } from "../ledger/part-damage.ts";
import type { PartStore } from "../parts/part-store.ts";
import { pollForWork } from "../poll-for-work.ts";
import { workerFaultOf } from "./fault.ts";
import type { WorkerMeans, WorkerOptions, WorkerSettings, WorkOutcome, WorkReport } from "./options.ts";
import { rebuild } from "./rebuild.ts";
import { keepLease, type Worker, waitAfterAttempts, workerSettings } from "./worker.ts";

/** Factor by which the backoff is longer if a person has to act first, such as to free disk space. */
const repairFactor = 12;

/** Errors with a cause outside of the part, which the operator or the customer has to remove. */
const outside: ReadonlySet<DeliveryErrorCode> = new Set([
  "parts_full",
  "parts_not_writable",
  "parts_unavailable",
  "entitlement_expired",
]);

/** True if the cause lies outside of the part, so that attempts are not counted. */
const hasOutsideCause = (error: unknown): boolean =>
  (error instanceof DeliveryError && outside.has(error.code)) ||
  (error instanceof EntitlementError && error.kind === "forbidden") ||
  (error instanceof StoreError && error.code === "registry_unavailable");

/** True if parts can be written. If not, a missing part may only be unreachable. */
const canWriteParts = (parts: Pick<PartStore, "probe">): Promise<boolean> =>
  parts.probe().then(
    () => true,
    () => false,
  );

type Options = WorkerMeans & WorkerSettings;

/**
 * Rebuilds parts and manifests that were found to be damaged, one after the other. A failed rebuild is repeated; the delivery fails as
 * `part_lost` only if a retry cannot help or all attempts are used up.
 * Any number of rebuilders may work on one ledger, and die at any time.
 */
export function createRebuilder(options: WorkerOptions): Worker {
  const settings: Options = { ...options, ...workerSettings(options) };
  const work: Worker["work"] = (signal = new AbortController().signal) => workOnce(settings, signal);
  return {
    work,
    run: async (signal) => {
      const workOn = async () => (await work(signal)) !== undefined;
      await pollForWork(workOn, { signal, interval: settings.poll, onFailure: settings.onFailure });
    },
  };
}

async function workOnce(settings: Options, stop: AbortSignal): Promise<WorkReport | undefined> {
  const { ledger, parts, name, lease, attempts, at, trace } = settings;
  const claimed = await ledger.damage.claim(name, lease);
  if (claimed === undefined) return undefined;
  const kept = keepLease(ledger.damage, claimed.claim, lease);
  const stages = trace({ name: "rebuild", delivery: claimed.delivery.id });
  let report: WorkReport = { delivery: claimed.delivery.id, outcome: "rebuilt" };
  try {
    await at("after_claim");
    if (claimed.attempts > attempts) throw new DeliveryError("part_lost", "its workers were lost");
    const signal = AbortSignal.any([stop, kept.signal]);
    await stages.timeAsync("rebuild", () => rebuild(settings, claimed, signal));
  } catch (error) {
    report = await afterFailure(settings, claimed, error, stop.aborted);
  } finally {
    await kept.stop();
    stages.end(report);
  }
  // Leftover files are removed by a later sweep.
  await parts.sweep(ledger.retention.claims).catch(() => {});
  settings.report(report);
  return report;
}

/** Handles an error: retry, or fail the delivery. If the ledger cannot be written, the next claim after the lease handles it. */
async function afterFailure(
  { ledger: { damage }, parts, attempts: most, backoff }: Options,
  { claim, delivery, attempts }: ClaimedDamage,
  cause: unknown,
  isStopping: boolean,
): Promise<WorkReport> {
  const { remedy, code } = workerFaultOf(cause);
  const reported = (outcome: WorkOutcome, told = code): WorkReport => ({
    delivery: delivery.id,
    outcome,
    code: told,
    cause,
  });
  try {
    if (remedy === "lost") return reported("lost");
    if (isStopping) {
      await damage.retry(claim, 0, "uncounted");
      return { delivery: delivery.id, outcome: "released" };
    }
    if (hasOutsideCause(cause) || !(await canWriteParts(parts))) {
      await damage.retry(claim, repairFactor * backoff, "uncounted");
      return reported("damaged");
    }
    if (remedy === "retry" && attempts < most) {
      await damage.retry(claim, waitAfterAttempts(attempts, backoff));
      return reported("damaged");
    }
    return (await damage.lose(claim, delivery.id)) ? reported("failed", "part_lost") : reported("damaged");
  } catch {
    return reported("lost");
  }
}
