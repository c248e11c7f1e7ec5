import type { Delivery, DeliveryPart, SealedManifest } from "./delivery.ts";
import type { Claim } from "./queue.ts";

/** Damaged bytes that a worker rebuilds, and a delivery that they can be rebuilt from. */
export type ClaimedDamage = {
  /** Its id is the SHA-256 of the bytes. */
  readonly claim: Claim;
  readonly delivery: Delivery;
  /** Null: the delivery's manifest is damaged. */
  readonly part: DeliveryPart | null;
  /** Claims of these bytes so far, with this one. */
  readonly attempts: number;
};

/**
 * Marks of stored bytes that are not those of their hash: of parts, which several deliveries may share, and of manifests. A
 * marked part is not granted until a worker has rebuilt it. Times are in milliseconds since 1970; every method throws
 * {@link StoreError} `registry_unavailable`, and those that take a claim `lease_lost`.
 */
export type PartDamage = {
  /**
   * Marks the bytes of a hash as damaged, in every delivery that has them. False: they were marked before.
   *
   * @param sha256 of the part, or of the manifest
   */
  readonly mark: (sha256: string, at: number) => Promise<boolean>;
  readonly isMarked: (sha256: string) => Promise<boolean>;
  /** Claims damaged bytes that a delivery still needs, those found first. The lease is in milliseconds. */
  readonly claim: (worker: string, lease: number) => Promise<ClaimedDamage | undefined>;
  readonly extend: (claim: Claim, lease: number) => Promise<void>;
  /** Removes the mark: the bytes are in place again. */
  readonly clear: (claim: Claim) => Promise<void>;
  /** Writes a rebuilt manifest, and removes the mark. */
  readonly replaceManifest: (claim: Claim, delivery: string, manifest: SealedManifest) => Promise<void>;
  /** Gives the claim back; the bytes may be claimed again after so many milliseconds. `uncounted`: this claim was no attempt. */
  readonly retry: (claim: Claim, after: number, counting?: "counted" | "uncounted") => Promise<void>;
  /**
   * Gives the claim back and fails a delivery as `part_lost`: the bytes cannot be rebuilt from it. False: its publication is
   * committed, and it goes on.
   */
  readonly lose: (claim: Claim, delivery: string) => Promise<boolean>;
};
