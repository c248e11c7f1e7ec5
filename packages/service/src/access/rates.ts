import { isIPv6 } from "node:net";
import type { Response } from "express";
import type { Config } from "../config.ts";
import { Refused } from "../errors.ts";
import type { Caller } from "../http/request-context.ts";
import { TokenBuckets } from "./token-buckets.ts";

/** Rate limits of customers and of addresses that send refused keys. */
export type Rates = {
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

/** Creates token buckets in memory. Each process counts separately. */
export function createRates(
  { requestsPerSecond, refusalsPerSecond }: Pick<Config, "requestsPerSecond" | "refusalsPerSecond">,
  clock?: () => number,
): Rates {
  const customers = new TokenBuckets(mostCustomers, clock);
  const addresses = new TokenBuckets(mostAddresses, clock);
  return {
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
