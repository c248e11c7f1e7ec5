import type { Claim } from "./queue.ts";

/** What is not needed any more. Times are in milliseconds since 1970; every method throws {@link StoreError} `registry_unavailable`. */
export type DeliveryRetention = {
  /**
   * Have deliveries expire whose time is over, those fail that were not published until then, and forget grants. One that is
   * committed fails only if its destination is disabled. Gives how many have expired.
   */
  readonly expire: (at: number) => Promise<number>;
  /** Take parts and manifests from the ledger of deliveries that have expired or ended before. Gives how many expired ones. */
  readonly purge: () => Promise<number>;
  /**
   * Remove bytes that nothing needs, those of up to `limit` hashes. While one is being removed nobody puts it. Gives how many
   * there were.
   */
  readonly removeBytes: (limit: number, remove: (sha256: string) => Promise<void>) => Promise<number>;
  /** Claims that hold now: what others have staged is left over. */
  readonly claims: () => Promise<readonly Claim[]>;
  /**
   * The checkpoint from which on building and rebuilding still read, now or for the next delivery of a subscription that is neither
   * paused nor canceled; what ended after it must be kept. Undefined: nothing is read.
   */
  readonly earliestCheckpoint: () => Promise<number | undefined>;
};
