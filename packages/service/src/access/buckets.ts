/** Requests that may come at once, in seconds of the rate. */
export const burst = 10;

/** Subjects that are compared before one is evicted from a table without room. */
const sample = 16;

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
 * A token bucket for each subject: it fills at a rate, and each request takes one token. Only the time when the bucket will be full is
 * kept. A subject whose bucket is full is idle, and is dropped.
 */
export class Buckets {
  /** When each bucket is full, in milliseconds. The subjects that have waited longest for a request or a look at them come first. */
  readonly #full = new Map<string, number>();
  readonly #capacity: number;
  readonly #now: () => number;

  /**
   * @param capacity largest number of subjects
   * @param now milliseconds of a clock that is never set back
   */
  constructor(capacity: number, now: () => number = () => performance.now()) {
    this.#capacity = capacity;
    this.#now = now;
  }

  /** Number of subjects in the table. */
  get size(): number {
    return this.#full.size;
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
    this.#dropIdle(now);
    if (this.#full.size > this.#capacity) this.#evict();
    return {
      isTaken,
      limit,
      remaining: Math.floor(limit - (full - now) / each + 1e-6),
      reset: Math.ceil((full - now) / 1000),
      wait: isTaken ? 0 : Math.ceil((full + each - limit * each - now) / 1000),
    };
  }

  /** Drops subjects from the front of the table, up to the first one whose bucket is not full. */
  #dropIdle(now: number): void {
    for (const [subject, full] of this.#full) {
      if (full > now) return;
      this.#full.delete(subject);
    }
  }

  /**
   * Evicts the idlest subject at the front of the table: the one whose bucket is full first, so that it gains least by starting anew. The
   * others go to the back, as in the clock algorithm. So a flood of subjects with a request each evicts its own, and not a busy one.
   */
  #evict(): void {
    const front: (readonly [subject: string, full: number])[] = [];
    for (const one of this.#full) if (front.push(one) === sample) break;
    const idlest = front.reduce((least, one) => (one[1] < least[1] ? one : least));
    for (const [subject, full] of front) {
      this.#full.delete(subject);
      if (subject !== idlest[0]) this.#full.set(subject, full);
    }
  }
}
