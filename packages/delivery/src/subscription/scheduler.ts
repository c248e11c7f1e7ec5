import { randomBytes } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { StoreError } from "@cadastre/store";
import type { Subscription } from "@cadastre/store/registry";
import type { StepMeans } from "./means.ts";
import { nextStep } from "./next-step.ts";
import { settledNow } from "./subscriptions.ts";

/** What a scheduler tells of a subscription, for the log. */
export type ScheduleReport = {
  readonly subscription: string;
  /** `changed`: somebody else has taken the step. */
  readonly outcome: "taken" | "changed" | "failed";
  /** What was caught. It may quote data. */
  readonly cause?: unknown;
};

/** Times are in milliseconds. */
export type SchedulerOptions = Pick<
  StepMeans,
  "registry" | "destinations" | "source" | "profiles" | "scopeOf"
> & {
  /** How long a delivery may be fetched after it was created. By default 14 days. */
  readonly retention?: number | undefined;
  readonly creditsOf?: StepMeans["creditsOf"] | undefined;
  /** The time since 1970. By default that of this machine. */
  readonly clock?: (() => number) | undefined;
  readonly random?: StepMeans["random"] | undefined;
  /** How long to wait before looking again. By default 5000. */
  readonly poll?: number | undefined;
  readonly report?: ((report: ScheduleReport) => void) | undefined;
};

/**
 * Has deliveries of subscriptions built when they are due. In memory is only what has failed a moment ago: any number of
 * schedulers may work on one registry, and die at any time.
 */
export type Scheduler = {
  /** Do what is to be done now, once. Gives how many steps were taken. */
  readonly tick: () => Promise<number>;
  /** Tick until the signal aborts. */
  readonly run: (signal: AbortSignal) => Promise<void>;
};

const day = 86_400_000;

/** How long a subscription whose step has failed is left alone, in milliseconds. */
const heldBack = 30_000;

/** Subscriptions that are read at once. */
const groupSize = 100;

export function createScheduler(options: SchedulerOptions): Scheduler {
  const { registry, clock = Date.now, poll = 5000, report = () => {} } = options;
  const means: StepMeans = {
    ...options,
    retention: options.retention ?? 14 * day,
    creditsOf: options.creditsOf ?? (() => ({ sources: [], attribution: [] })),
    random: options.random ?? randomBytes,
  };

  /** When the step of a subscription has failed, by its id. */
  const failed = new Map<string, number>();

  async function take(subscription: Subscription): Promise<boolean> {
    const since = clock() - (failed.get(subscription.id) ?? 0);
    // Negative after the clock was set back.
    if (since >= 0 && since < heldBack) return false;
    failed.delete(subscription.id);
    try {
      return await takeSteps(means, subscription, clock());
    } catch (cause) {
      const isOther = cause instanceof StoreError && cause.code === "subscription_changed";
      if (!isOther) failed.set(subscription.id, clock());
      report({ subscription: subscription.id, outcome: isOther ? "changed" : "failed", cause });
      return false;
    }
  }

  async function tick(): Promise<number> {
    let taken = 0;
    for (let after: string | undefined = ""; after !== undefined; ) {
      const group: readonly Subscription[] = await registry.waiting(clock(), after, groupSize);
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
      while (!signal.aborted) {
        await tick().catch(() => 0);
        await setTimeout(poll, undefined, { signal }).catch(() => {});
      }
    },
  };
}

/** Settle what has ended, then do what is to be done next. */
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
