import { setTimeout } from "node:timers/promises";
import { backoffDelay } from "@cadastre/manifest/retry";

/** Retry policy for transient errors: exponential backoff with jitter. */
export type StorageRetryPolicy = {
  /** Maximum number of attempts, the first one included. */
  readonly attempts: number;
  /** Longest wait before the second attempt, in milliseconds. It doubles with each further attempt. */
  readonly first: number;
  /** Longest wait before any attempt, in milliseconds: the doubling stops there. */
  readonly longest: number;
  readonly wait: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
  /** Returns a number from 0 up to but not including 1: the fraction of the longest wait to wait (jitter), so that retries spread out. */
  readonly random: () => number;
};

export const defaultStorageRetry: StorageRetryPolicy = {
  attempts: 8,
  first: 250,
  longest: 20_000,
  wait: (milliseconds, signal) => setTimeout(milliseconds, undefined, { signal }),
  random: Math.random,
};

/** Calls `attempt` until it succeeds, fails with an error that is not transient, or has failed `attempts` times. */
export async function retry<T>(
  attempt: () => Promise<T>,
  isTransient: (error: unknown) => boolean,
  { attempts, first, longest, wait, random }: StorageRetryPolicy,
  signal?: AbortSignal,
): Promise<T> {
  for (let failures = 1; ; failures++) {
    try {
      return await attempt();
    } catch (error) {
      if (failures >= attempts || !isTransient(error) || signal?.aborted) throw error;
    }
    await wait(backoffDelay({ first, longest }, failures, random()), signal);
  }
}
