import { randomBytes } from "node:crypto";
import { DeliveryError } from "../errors.ts";
import { pollForWork } from "../poll-for-work.ts";
import { nextStep } from "./next-step.ts";
import type { StepMeans } from "./step-context.ts";
import type { Subscription } from "./subscription.ts";
import { settledNow } from "./subscriptions.ts";

/** Report of a scheduler on a subscription, for the log. */
type ScheduleReport = {
  readonly subscription: string;
  /** `changed`: another scheduler or a request has changed the subscription first. */
  readonly outcome: "taken" | "changed" | "failed";
  /** The error. It may quote data. */
  readonly cause?: unknown;
};

/** Times are in milliseconds. */
export type SchedulerOptions = Pick<
  StepMeans,
  "registry" | "destinations" | "source" | "profiles" | "scopeOf"
> & {
  /** Time after its creation during which a delivery may be fetched. By default 14 days. */
  readonly retention?: number | undefined;
  readonly creditsOf?: StepMeans["creditsOf"] | undefined;
  /** Returns the time since 1970. By default the system time. */
  readonly clock?: (() => number) | undefined;
  readonly random?: StepMeans["random"] | undefined;
  /** Wait between two ticks. By default 5000. */
  readonly poll?: number | undefined;
  readonly report?: ((report: ScheduleReport) => void) | undefined;
  /** Called with the first of successive ticks that fail, such as that of a registry that cannot be reached. */
  readonly onFailure?: ((error: unknown) => void) | undefined;
};

/**
 * Creates the deliveries of subscriptions when they are due. It keeps only recent failures in memory, so any number of schedulers may
 * work on one registry, and stop at any time.
 */
export type Scheduler = {
  /** Takes all steps that are due now. Returns their number. */
  readonly tick: () => Promise<number>;
  /** Calls `tick` repeatedly until the signal aborts. */
  readonly run: (signal: AbortSignal) => Promise<void>;
};

const day = 86_400_000;

/** Wait before a subscription is tried again after its step failed, in milliseconds. */
const heldBack = 30_000;

/** Number of subscriptions that are read at once. */
const groupSize = 100;

export function createScheduler(options: SchedulerOptions): Scheduler {
  const { registry, clock = Date.now, poll = 5000, report = () => {}, onFailure } = options;
  const means: StepMeans = {
    ...options,
    retention: options.retention ?? 14 * day,
    creditsOf: options.creditsOf ?? (() => ({ sources: [], attribution: [] })),
    random: options.random ?? randomBytes,
  };

  /** Times at which steps of subscriptions failed, by id. */
  const failed = new Map<string, number>();

  async function take(subscription: Subscription): Promise<boolean> {
    const since = clock() - (failed.get(subscription.id) ?? 0);
    // Negative after the clock was set back.
    if (since >= 0 && since < heldBack) return false;
    failed.delete(subscription.id);
    try {
      return await takeSteps(means, subscription, clock());
    } catch (cause) {
      const isOther = cause instanceof DeliveryError && cause.code === "subscription_changed";
      if (!isOther) failed.set(subscription.id, clock());
      report({ subscription: subscription.id, outcome: isOther ? "changed" : "failed", cause });
      return false;
    }
  }

  async function tick(): Promise<number> {
    let taken = 0;
    for (let after: string | undefined = ""; after !== undefined; ) {
      const group: readonly Subscription[] = await registry.needingStep(clock(), after, groupSize);
      for (const subscription of group) {
        if (!(await take(subscription))) continue;
        report({ subscription: subscription.id, outcome: "taken" });
        taken += 1;
      }
      after = group.length < groupSize ? undefined : group.at(-1)?.id;
    }
    return taken;
  }

  return {
    tick,
    run: async (signal) => {
      const takeDue = async () => {
        await tick();
        // Looks again after the interval, even if a step was taken: the next one is then rarely due.
        return false;
      };
      await pollForWork(takeDue, { signal, interval: poll, onFailure });
    },
  };
}

/** Records the end of a subscription's delivery, if it has ended, then takes the next step. Returns true if either changed something. */
async function takeSteps(means: StepMeans, waiting: Subscription, at: number): Promise<boolean> {
  const subscription = await settledNow(means.registry, waiting, at);
  const isSettled = subscription !== waiting;
  const isNext = subscription.delivery === null && ["active", "suspended"].includes(subscription.state);
  if (!isNext || subscription.due === null) return isSettled;
  const step = await nextStep(means, subscription, at);
  if (step === undefined) return isSettled;
  await means.registry.step(subscription, step);
  return true;
}
