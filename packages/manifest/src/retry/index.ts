/**
 * Waits before a retry: exponential backoff with jitter, and what a server asks for. Runs in every environment.
 *
 * @module
 */

/** Exponential backoff with jitter. Times are in milliseconds. */
export type Backoff = {
  /** Longest wait after the first failure. */
  readonly first: number;
  /** Longest wait after any failure: the growth stops there. */
  readonly longest: number;
  /** Factor by which the wait grows with each further failure. By default 2. */
  readonly growth?: number;
  /** Fraction of the wait that is random, so that retries spread out: from 0 to 1, by default 1. */
  readonly jitter?: number;
};

/**
 * Returns the wait before the next attempt, in milliseconds.
 *
 * @param failures number of failed attempts so far
 * @param random from 0 to 1
 */
export const backoffDelay = (
  { first, longest, growth = 2, jitter = 1 }: Backoff,
  failures: number,
  random: number = Math.random(),
): number => Math.min(longest, first * growth ** (failures - 1)) * (1 - jitter + jitter * random);

/**
 * Parses the header `Retry-After`. Returns milliseconds from `now` on; undefined for anything but seconds and dates.
 * Source: RFC 9110, section 10.2.3.
 */
export function retryAfter(text: string | null | undefined, now: number): number | undefined {
  if (text == null) return undefined;
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  const time = /^[A-Z][a-z]{2,8},? /.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? undefined : Math.max(0, time - now);
}
