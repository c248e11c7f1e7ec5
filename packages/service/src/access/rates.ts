import { isIPv6 } from "node:net";
import type { Response } from "express";
import type { Config } from "../config.ts";
import { Refused } from "../errors.ts";
import type { Caller } from "../http/request-context.ts";

/** Capacity of a bucket, in seconds of its rate: at 5 requests a second, 50 may come at once. */
export const burst = 10;

/** Number of subjects that are compared when one must be evicted from a full table. */
const sample = 16;

/** Notes a use of a limit, as the time in milliseconds after which nothing of it is left. */
export type Spend = (subject: string, milliseconds: number) => void;

/** Subjects of rate limits: customers that send requests, and addresses that send refused keys. */
type RateSubject = "requests" | "refusals";

/** Result of taking a token: whether the request is allowed, and the state of the subject's bucket. */
export type Allowance = {
  readonly isTaken: boolean;
  /** Capacity of the bucket, in requests. */
  readonly limit: number;
  readonly remaining: number;
  /** Seconds until the bucket is full. */
  readonly reset: number;
  /** Seconds until the next request is allowed. */
  readonly wait: number;
};

/**
 * Rate limiter with a token bucket for each subject: it fills at a rate, and each request takes one token. Only the time when the bucket
 * will be full is stored. A subject whose bucket is full is idle, and is dropped.
 */
export class TokenBuckets {
  /**
   * Time when each bucket is full, in milliseconds. In the order in which the subjects last made a request or were spared by an eviction.
   */
  readonly #full = new Map<string, number>();
  /** Subject of the last entry, if it has one: it is in its place already. */
  #newest: string | undefined;
  readonly #capacity: number;
  readonly #now: () => number;
  readonly #onTake: Spend | undefined;

  /**
   * @param capacity largest number of subjects
   * @param now monotonic clock, in milliseconds
   * @param onTake called with each token that is taken
   */
  constructor(capacity: number, now: () => number = () => performance.now(), onTake?: Spend) {
    this.#capacity = capacity;
    this.#now = now;
    this.#onTake = onTake;
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
    // 1e-6 absorbs the rounding errors of floating-point sums.
    const isTaken = before + each <= now + limit * each + 1e-6;
    const full = isTaken ? before + each : before;
    this.#set(subject, full, now);
    if (isTaken) this.#onTake?.(subject, each);
    return {
      isTaken,
      limit,
      remaining: Math.max(0, Math.floor(limit - (full - now) / each + 1e-6)),
      reset: Math.ceil((full - now) / 1000),
      wait: isTaken ? 0 : Math.ceil((full + each - limit * each - now) / 1000),
    };
  }

  /**
   * Takes what another process has given. The bucket may then lack more than it holds: nothing is given until the debt is filled.
   *
   * @param milliseconds time that the bucket needs to fill again
   */
  spend(subject: string, milliseconds: number): void {
    const now = this.#now();
    this.#set(subject, Math.max(this.#full.get(subject) ?? now, now) + milliseconds, now);
  }

  #set(subject: string, full: number, now: number): void {
    if (subject !== this.#newest) this.#full.delete(subject);
    this.#full.set(subject, full);
    this.#newest = subject;
    this.#dropIdle(now);
    if (this.#full.size > this.#capacity) this.#evict();
  }

  /** Drops subjects from the front of the table, up to the first one whose bucket is not full. */
  #dropIdle(now: number): void {
    for (const [subject, full] of this.#full) {
      if (full > now) return;
      this.#full.delete(subject);
    }
  }

  /**
   * Evicts one of the subjects at the front of the table: the one whose bucket will be full first, because it gains least from a new
   * bucket. The others go to the back, as in the clock algorithm. A flood of subjects with one request each therefore evicts itself, and
   * not a busy subject.
   */
  #evict(): void {
    const front: (readonly [subject: string, full: number])[] = [];
    for (const one of this.#full) if (front.push(one) === sample) break;
    const idlest = front.reduce((least, one) => (one[1] < least[1] ? one : least));
    for (const [subject, full] of front) {
      this.#full.delete(subject);
      if (subject !== idlest[0]) this.#full.set(subject, full);
    }
    this.#newest = undefined;
  }
}

/** Rate limits of customers and of addresses that send refused keys. */
export type Rates = {
  /** Takes what another process has given, see {@link TokenBuckets.spend}. */
  readonly spend: Readonly<Record<RateSubject, Spend>>;
  /**
   * Counts a request against the limit of the caller's customer, which all of its keys share, and sets the `ratelimit-*` headers.
   *
   * @throws {Refused} `rate_limited`
   */
  readonly takeFor: (caller: Caller, res: Response) => void;
  /**
   * Counts a refused key.
   *
   * @throws {Refused} `rate_limited` if the address sends too many. Valid keys from the same address are not affected.
   */
  readonly takeRefusal: (address: string) => void;
};

/**
 * Largest number of customers in the table: more than a registry has. A customer is counted only after its key was verified, so nobody
 * can fill the table with invented ones.
 */
const mostCustomers = 1_000_000;

/** Largest number of addresses in the table. It needs a bound because anybody can send from many addresses. */
const mostAddresses = 100_000;

/**
 * Creates token buckets in memory.
 *
 * @param onTake called with what this process gives, for the processes that share the limits
 */
export function createRates(
  { requestsPerSecond, refusalsPerSecond }: Pick<Config, "requestsPerSecond" | "refusalsPerSecond">,
  clock?: () => number,
  onTake?: Readonly<Record<RateSubject, Spend>>,
): Rates {
  const customers = new TokenBuckets(mostCustomers, clock, onTake?.requests);
  const addresses = new TokenBuckets(mostAddresses, clock, onTake?.refusals);
  return {
    spend: {
      requests: (customer, milliseconds) => customers.spend(customer, milliseconds),
      refusals: (address, milliseconds) => addresses.spend(address, milliseconds),
    },
    takeFor({ scope }, res) {
      const rate = scope.limits.requests_per_second ?? requestsPerSecond;
      if (rate === 0) return;
      const { isTaken, limit, remaining, reset, wait } = customers.take(scope.customer, rate);
      if (!res.headersSent) {
        res.setHeader("ratelimit-limit", limit);
        res.setHeader("ratelimit-remaining", remaining);
        res.setHeader("ratelimit-reset", reset);
      }
      if (!isTaken) throw tooMany(wait);
    },
    takeRefusal(address) {
      if (refusalsPerSecond === 0) return;
      const { isTaken, wait } = addresses.take(networkOf(address), refusalsPerSecond);
      if (!isTaken) throw tooMany(wait);
    },
  };
}

const tooMany = (seconds: number) =>
  new Refused("rate_limited", { headers: { "retry-after": String(Math.max(1, seconds)) } });

/** Returns the network that one client controls: an IPv4 address, or the first 64 bits of an IPv6 address. */
export function networkOf(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, "");
  if (!isIPv6(plain)) return plain;
  const [front = "", back] = plain.split("::");
  const groups = (part: string) => part.split(":").filter((group) => group !== "");
  const missing = back === undefined ? 0 : 8 - groups(front).length - groups(back).length;
  const all = [...groups(front), ...Array.from({ length: missing }, () => "0"), ...groups(back ?? "")];
  return all.slice(0, 4).join(":");
}
