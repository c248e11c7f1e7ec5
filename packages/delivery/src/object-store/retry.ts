import { setTimeout } from "node:timers/promises";

/** How long to go on with what fails for the moment. */
export type RetryPolicy = {
  /** Attempts in all. */
  readonly attempts: number;
  /** Longest wait before the second attempt, in milliseconds. It doubles with each one after. */
  readonly first: number;
  /** Longest wait of all, in milliseconds. */
  readonly longest: number;
  /** Wait for some milliseconds. */
  readonly wait: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
  /** At least 0, less than 1: what part of the longest wait is waited, so that many do not come back at once. */
  readonly random: () => number;
};

export const defaultRetryPolicy: RetryPolicy = {
  attempts: 8,
  first: 250,
  longest: 20_000,
  wait: (milliseconds, signal) => setTimeout(milliseconds, undefined, { signal }),
  random: Math.random,
};

/** Attempt something again until it does not fail for the moment only, or too often. */
export async function retry<T>(
  attempt: () => Promise<T>,
  isTransient: (error: unknown) => boolean,
  { attempts, first, longest, wait, random }: RetryPolicy,
  signal?: AbortSignal,
): Promise<T> {
  for (let failures = 1; ; failures++) {
    try {
      return await attempt();
    } catch (error) {
      if (failures >= attempts || !isTransient(error) || signal?.aborted) throw error;
    }
    await wait(random() * Math.min(longest, first * 2 ** (failures - 1)), signal);
  }
}
