import type { Claim } from "./queue.ts";

/**
 * Removes data that is no longer needed. Times are in milliseconds since 1970. Every method throws {@link StoreError}
 * `registry_unavailable`.
 */
export type DeliveryRetention = {
  /**
   * Expires complete deliveries after their time, fails those that were not published in time, and deletes expired grants. A
   * committed delivery fails only if its destination is disabled. Returns the number of expired deliveries.
   */
  readonly expire: (at: number) => Promise<number>;
  /**
   * Deletes the ledger's parts and manifests of deliveries that have expired or ended otherwise. Returns the number of expired
   * ones.
   */
  readonly purge: () => Promise<number>;
  /**
   * Removes part files that no delivery needs, at most `limit`. While one is being removed, no worker can write it. Returns the
   * number removed.
   */
  readonly removeBytes: (limit: number, remove: (sha256: string) => Promise<void>) => Promise<number>;
  /** Returns the current claims. Staged files of other claims are left over. */
  readonly claims: () => Promise<readonly Claim[]>;
  /**
   * Returns the earliest checkpoint still needed: by building and rebuilding, or by the next delivery of a subscription that is
   * neither paused nor canceled. Versions that ended after it must be kept. Undefined if no checkpoint is needed.
   */
  readonly earliestCheckpoint: () => Promise<number | undefined>;
};
