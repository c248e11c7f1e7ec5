import type { Delivery, DeliveryPart, SealedManifestRecord } from "./delivery.ts";
import type { Claim } from "./queue.ts";

/** A worker's claim of damaged bytes, and a delivery to rebuild them from. */
export type ClaimedDamage = {
  /** Its id is the SHA-256 of the bytes. */
  readonly claim: Claim;
  readonly delivery: Delivery;
  /** Null if the delivery's manifest is damaged. */
  readonly part: DeliveryPart | null;
  /** Number of claims of these bytes, this one included. */
  readonly attempts: number;
};

/**
 * Queue of damaged parts and manifests, by their SHA-256. Several deliveries may share a part. A marked part is not granted until a
 * worker has rebuilt it. Times are in milliseconds since 1970; every method throws
 * {@link StoreError} `registry_unavailable`, and those that take a claim `lease_lost`.
 */
export type PartDamage = {
  /**
   * Marks bytes as damaged, for every delivery that has them. Returns false if they were marked before.
   *
   * @param sha256 of the part, or of the manifest
   */
  readonly mark: (sha256: string, at: number) => Promise<boolean>;
  readonly isMarked: (sha256: string) => Promise<boolean>;
  /**
   * Claims the damaged bytes that were found first and that a delivery still needs.
   *
   * @param lease in milliseconds
   */
  readonly claim: (worker: string, lease: number) => Promise<ClaimedDamage | undefined>;
  readonly extend: (claim: Claim, lease: number) => Promise<void>;
  /** Removes the mark after the bytes were restored. */
  readonly clear: (claim: Claim) => Promise<void>;
  /** Stores a rebuilt manifest, and removes the mark. */
  readonly replaceManifest: (claim: Claim, delivery: string, manifest: SealedManifestRecord) => Promise<void>;
  /**
   * Releases the claim.
   *
   * @param after milliseconds until the next claim
   * @param counting `uncounted` if this was not an attempt
   */
  readonly retry: (claim: Claim, after: number, counting?: "counted" | "uncounted") => Promise<void>;
  /**
   * Fails a delivery as `part_lost`, because the bytes cannot be rebuilt from it, and releases the claim. Returns false if the
   * delivery's publication is committed; it is then not failed.
   */
  readonly lose: (claim: Claim, delivery: string) => Promise<boolean>;
};
