import { backoffDelay } from "@cadastre/manifest/retry";

/** Retry policy for requests to a server: exponential backoff with jitter. */
export type RetryPolicy = {
  /** Maximum number of attempts for one request. */
  readonly tries: number;
  /** Time limit for the start of an answer, and for silence during a transfer, in milliseconds. */
  readonly timeout: number;
  /** Longest pause before the second attempt, in milliseconds. It doubles with each further attempt. */
  readonly pause: number;
};

export const defaultRetryPolicy: RetryPolicy = { tries: 8, timeout: 60_000, pause: 1000 };

/** Longest pause before any attempt, in milliseconds: the doubling stops there. */
const longestPause = 60_000;

/** Returns how long all pauses before the attempts of one request are together at most, in milliseconds. */
export const longestRetries = (policy: RetryPolicy): number =>
  Array.from({ length: policy.tries - 1 }, (_, k) => backoff(k + 1, policy, 1)).reduce((a, b) => a + b, 0);

/** Longest pause that a server may ask for, in milliseconds. */
export const maxRetryAfter = 15 * 60_000;

/**
 * Returns a pause before the next attempt, in milliseconds: exponential backoff with full jitter.
 *
 * @param failed number of failed attempts so far
 * @param random from 0 to 1
 */
export const backoff = (failed: number, { pause }: RetryPolicy, random: number): number =>
  backoffDelay({ first: pause, longest: longestPause }, failed, random);
