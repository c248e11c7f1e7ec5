/** Requests that may come at once, in seconds of the rate. */
export const burst = 10;

/** Subjects that are remembered at most. */
const capacity = 10_000;

/** What is left to a subject after a request. */
export type Allowance = {
  readonly isTaken: boolean;
  /** Requests that may come at once when none has come for a while. */
  readonly limit: number;
  readonly remaining: number;
  /** Seconds until all of them may come again. */
  readonly reset: number;
  /** Seconds until the next one may come. */
  readonly wait: number;
};

/**
 * A bucket of tokens for each subject: it fills at a rate, and each request takes one. Kept of a bucket is when it will
 * be full; one that is full need not be kept.
 */
export class Buckets {
  /** The moments, in milliseconds, in the order of the last requests. */
  readonly #full = new Map<string, number>();
  readonly #now: () => number;

  /** @param now milliseconds of a clock that is never set back */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** @param rate requests a second */
  take(subject: string, rate: number): Allowance {
    const now = this.#now();
    const each = 1000 / rate;
    const limit = Math.ceil(rate * burst);
    const before = Math.max(this.#full.get(subject) ?? now, now);
    // Sums of fractions miss a whole number by less than this.
    const isTaken = before + each <= now + limit * each + 1e-6;
    const full = isTaken ? before + each : before;
    this.#full.delete(subject);
    this.#full.set(subject, full);
    this.#forget(now);
    return {
      isTaken,
      limit,
      remaining: Math.floor(limit - (full - now) / each + 1e-6),
      reset: Math.ceil((full - now) / 1000),
      wait: isTaken ? 0 : Math.ceil((full + each - limit * each - now) / 1000),
    };
  }

  /** The longest unused, as long as they are full or too many. */
  #forget(now: number): void {
    for (const [subject, full] of this.#full) {
      if (full > now && this.#full.size <= capacity) return;
      this.#full.delete(subject);
    }
  }
}
