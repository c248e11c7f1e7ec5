import { StoreError } from "@cadastre/store";
import type { Claim, DeliveryQueue } from "../ledger/queue.ts";

/** A claim that is kept. */
export type KeptLease = {
  /** Aborts once the claim is lost. */
  readonly signal: AbortSignal;
  readonly stop: () => Promise<void>;
};

/**
 * Extends the lease of a claim again and again, until it is stopped. `signal` aborts once the claim is lost; while the ledger
 * cannot be asked nothing is known, and work goes on: what is done under a lost claim has no effect.
 */
export function keepLease(queue: Pick<DeliveryQueue, "extend">, claim: Claim, lease: number): KeptLease {
  const lost = new AbortController();
  let asking = Promise.resolve();
  const extend = () =>
    queue.extend(claim, lease).catch((error: unknown) => {
      if (error instanceof StoreError && error.code === "lease_lost") lost.abort(error);
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
