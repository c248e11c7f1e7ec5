import type { Claim } from "./queue.ts";

/**
 * Removes data that is no longer needed. Times are in milliseconds since 1970. Every method throws {@link StoreError}
 * `registry_unavailable`.
 */
export type DeliveryRetention = {
  /**
   * Expires complete deliveries after their time, fails those that were not published in time, and deletes expired grants. A delivery
   * whose last object is being written to its bucket fails only if its destination is disabled. Returns the number of expired deliveries.
   */
  readonly expire: (at: number) => Promise<number>;
  /**
   * Deletes the parts and manifests of expired, canceled and failed deliveries from the ledger. Returns the number of expired deliveries
   * that were purged.
   */
  readonly purge: () => Promise<number>;
  /**
   * Calls `remove` for at most `limit` parts that no delivery needs. While one is being removed, no worker can write it. Returns the number
   * of removed parts.
   */
  readonly removeBytes: (limit: number, remove: (sha256: string) => Promise<void>) => Promise<number>;
  /** Returns the current claims. Staged files that belong to none of them were left by a worker that is gone. */
  readonly claims: () => Promise<readonly Claim[]>;
  /**
   * Returns the earliest checkpoint still needed: by building and rebuilding, or by the next delivery of a subscription that is
   * neither paused nor canceled. Versions that ended after it must be kept. Undefined if no checkpoint is needed.
   */
  readonly earliestCheckpoint: () => Promise<number | undefined>;
};
