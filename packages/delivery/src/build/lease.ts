import { DeliveryError } from "../errors.ts";
import type { Claim, DeliveryQueue } from "../ledger/queue.ts";

/** A lease that is renewed until it is stopped. */
export type KeptLease = {
  /** Aborts if the claim is lost. */
  readonly signal: AbortSignal;
  readonly stop: () => Promise<void>;
};

/**
 * Renews the lease of a claim periodically until it is stopped. `signal` aborts if the claim is lost. While the ledger is unreachable, that
 * is unknown and work goes on: effects under a lost claim are refused by its fencing token.
 */
export function keepLease(queue: Pick<DeliveryQueue, "extend">, claim: Claim, lease: number): KeptLease {
  const lost = new AbortController();
  let asking = Promise.resolve();
  const extend = () =>
    queue.extend(claim, lease).catch((error: unknown) => {
      if (error instanceof DeliveryError && error.code === "lease_lost") lost.abort(error);
    });
  const timer = setInterval(() => {
    asking = extend();
  }, lease / 3);
  return {
    signal: lost.signal,
    stop: async (): Promise<void> => {
      clearInterval(timer);
      await asking;
    },
  };
}
