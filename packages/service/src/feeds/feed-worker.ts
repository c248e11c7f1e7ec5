import { hostname } from "node:os";
import { anySignal } from "@cadastre/client/http";
import { pollForWork } from "@cadastre/delivery";
import { backoffDelay } from "@cadastre/manifest/retry";
import type { RecordName } from "@cadastre/reso";
import { StoreError } from "@cadastre/store";
import type { FeedCounts, FeedLease, FeedRegistry } from "@cadastre/store/registry";
import { IngestError } from "../ingest/ingest-error.ts";
import { RejectReasons } from "../ingest/reject-reasons.ts";
import { errorFields, type Log } from "../log.ts";
import { FeedError } from "../replicate/feed-error.ts";
import { definitionOf } from "./definition.ts";
import { Mutexes } from "./mutexes.ts";
import { runFeed } from "./run-feed.ts";
import type { FeedServices } from "./staging-run.ts";

export type FeedWorkerOptions = FeedServices & {
  readonly feeds: FeedRegistry;
  readonly log: Pick<Log, "info" | "error">;
  /** Duration of a lease in milliseconds: after it another worker takes over from one that is dead. */
  readonly lease: number;
  /** Interval in which an idle worker looks for a due feed, in milliseconds. */
  readonly interval?: number;
  /** Maximum number of feeds that run at a time. By default 4. */
  readonly runs?: number;
};

/** Delays after failed runs, in milliseconds. */
const retryDelays = { first: 30_000, longest: 60 * 60_000, jitter: 0.5 } as const;

/** Returns the name of this process as a worker. */
export const workerName = (): string => `${hostname()}:${process.pid}`;

export type FeedRunReport = {
  readonly counts: FeedCounts;
  /** Number of records that the run's publications have removed. */
  readonly removed: number;
  /** Reasons why records were rejected, by resource. */
  readonly reasons: ReadonlyMap<RecordName, RejectReasons>;
  /** Null: the run succeeded. */
  readonly error: string | null;
};

/**
 * Runs a leased feed, and records the result. The lease is renewed meanwhile; if it is void, the run ends. A run that `signal` ends is due
 * again at once.
 */
export async function runLeased(
  lease: FeedLease,
  { feeds, log, lease: duration, ...services }: FeedWorkerOptions,
  signal: AbortSignal,
): Promise<FeedRunReport> {
  const { feed } = lease;
  const started = services.now();
  log.info({ feed: feed.name }, "runs a feed");
  const lost = new AbortController();
  const renew = async () => {
    if (!(await feeds.renew(lease, services.now() + duration))) lost.abort();
  };
  // A registry that cannot be reached for a moment does not end the run: the checks before each publication do.
  const timer = setInterval(() => void renew().catch(() => {}), duration / 3);
  let [counts, modified]: [FeedCounts, number | null] = [{ read: 0, staged: 0, rejected: 0 }, null];
  let removed = 0;
  const reasons = new Map<RecordName, RejectReasons>();
  let failure: unknown;
  try {
    await runFeed(
      {
        feed,
        signal: anySignal(signal, lost.signal),
        onProgress: async (progress) => {
          if (!(await feeds.advance(lease, JSON.stringify(progress)))) throw leaseLost();
        },
        requireLease: async () => {
          if (!(await feeds.renew(lease, services.now() + duration))) throw leaseLost();
        },
        onCounts: ({ read, staged, rejected }, newest) => {
          counts = { read, staged, rejected };
          modified = newest;
        },
        onReasons: (resource, found) => {
          const counted = reasons.get(resource) ?? new RejectReasons();
          counted.addCounted(found);
          reasons.set(resource, counted);
        },
        onRemoved: (records) => {
          removed += records;
        },
      },
      services,
    );
  } catch (error) {
    failure = error;
  } finally {
    clearInterval(timer);
  }
  const at = services.now();
  if (failure !== undefined && signal.aborted) {
    await feeds.release(lease, at);
    log.info({ feed: feed.name }, "stopped the run of a feed");
    return { counts, removed, reasons, error: "the run was stopped" };
  }
  const error = failure === undefined ? null : errorText(failure);
  const due =
    failure === undefined ? Math.max(at, started + definitionOf(feed).every) : retryAt(lease, at, failure);
  const isSettled = await feeds.settle(lease, { at, due, error, counts, modified });
  const told = { feed: feed.name, ...counts, removed, seconds: (at - started) / 1000 };
  if (!isSettled) log.error(told, "lost the lease of a feed: another worker has it, or it was removed");
  else if (failure === undefined) log.info(told, "ran a feed");
  else log.error({ ...told, ...errorFields(failure) }, "could not run a feed");
  return { counts, removed, reasons, error };
}

const leaseLost = () => new FeedError("the lease of the feed was lost");

/** Returns the text of an error for the operator. A message that was not written for him may quote a record: it is in the log alone. */
function errorText(error: unknown): string {
  if (error instanceof FeedError || error instanceof IngestError || error instanceof StoreError)
    return error.message;
  const kind = error instanceof Error ? error.name : "error";
  return `an unexpected ${kind} ended the run: the log of the process that ran the feed has it`;
}

function retryAt({ feed }: FeedLease, at: number, failure: unknown): number {
  const wait = failure instanceof FeedError ? (failure.wait ?? 0) : 0;
  return Math.ceil(at + Math.max(wait, backoffDelay(retryDelays, feed.failures + 1)));
}

/**
 * Runs due feeds, several at a time, until it is stopped. Several workers may run: each feed is leased by one of them. A registry that
 * cannot be asked for due feeds is logged once, not at each poll.
 */
export function startFeedWorker(options: Omit<FeedWorkerOptions, "mutexes">): {
  readonly stop: () => Promise<void>;
} {
  const { feeds, log, lease, interval = 1000, runs = 4, now } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  const mutexes = new Mutexes();
  const running = new Map<string, Promise<void>>();
  const startNext = async (): Promise<boolean> => {
    if (running.size >= runs) await Promise.race(running.values());
    if (signal.aborted) return false;
    // A lease may end during a run, such as after a pause of the machine. The run is then not started again beside itself.
    const claimed = await feeds.claim(now(), { worker: workerName(), lease, except: [...running.keys()] });
    if (claimed === undefined) return false;
    const { name } = claimed.feed;
    const run = runLeased(claimed, { ...options, mutexes }, signal)
      .then(
        () => {},
        (error: unknown) =>
          log.error({ feed: name, ...errorFields(error) }, "could not record a run of a feed"),
      )
      .finally(() => running.delete(name));
    running.set(name, run);
    return true;
  };
  const working = pollForWork(startNext, {
    signal,
    interval,
    onFailure: (error) => log.error(errorFields(error), "could not look for due feeds"),
  });
  return {
    stop: async () => {
      stopping.abort();
      await working;
      await Promise.all(running.values());
    },
  };
}
