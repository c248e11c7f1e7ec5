import type { Delivery, DeliveryPart, SealedManifestRecord } from "./delivery.ts";

/** Lease time and retry limit of a claim. */
export type ClaimTerms = {
  /** Duration of the lease in milliseconds, unless it is extended; an hour at most. */
  readonly lease: number;
  /** Maximum number of claims of a delivery without progress. After them the delivery fails, unless it is committed. */
  readonly attempts: number;
  /** Task of the worker. By default `build`. */
  readonly task?: "build" | "publish" | undefined;
};

/**
 * A lease on a delivery for building or publishing. A later claim has a higher `fence` (fencing token), and this one is then
 * lost.
 */
export type Claim = { readonly id: string; readonly fence: number };

/**
 * Queue of deliveries to build or publish. Every method with a claim is atomic, and works only until a later claim is made.
 * Leases are measured by the clock of the database. Every method throws {@link StoreError} `registry_unavailable`, and those with
 * a claim `lease_lost`.
 */
export type DeliveryQueue = {
  /** Claims the oldest delivery that waits or whose lease has ended. To publish, it claims a sealed one. */
  readonly claim: (
    worker: string,
    terms: ClaimTerms,
  ) => Promise<{ readonly claim: Claim; readonly delivery: Delivery } | undefined>;
  readonly extend: (claim: Claim, lease: number) => Promise<void>;
  /** Announces the hash of a part that is about to be written. From then on the part is not removed. */
  readonly announce: (claim: Claim, sha256: string) => Promise<void>;
  /** Adds a part that was announced and has been written. */
  readonly addPart: (claim: Claim, part: DeliveryPart) => Promise<void>;
  /** Ends the building. A delivery of mode `pull` is complete; others wait to be published. */
  readonly seal: (claim: Claim, manifest: SealedManifestRecord, at: number) => Promise<void>;
  /** Records progress of the publication: another object was written. */
  readonly advance: (claim: Claim) => Promise<void>;
  /**
   * Records that the last object of the publication is about to be written. From then on the delivery is retried until it is
   * complete. Idempotent.
   */
  readonly commit: (claim: Claim, at: number) => Promise<void>;
  /** Ends the publication: the delivery is complete. */
  readonly complete: (claim: Claim, at: number) => Promise<void>;
  /** Returns a delivery to the queue without counting the attempt. */
  readonly release: (claim: Claim) => Promise<void>;
  /**
   * Returns a delivery to the queue, to be claimed after `after` milliseconds. If it has had `attempts` claims without progress
   * it fails instead, unless it is committed.
   */
  readonly retry: (
    claim: Claim,
    after: number,
    attempts: number,
    code: string,
  ) => Promise<"queued" | "sealed" | "failed">;
  /** Cancels or fails a delivery. Returns false if it is committed; the claim then remains valid. */
  readonly end: (claim: Claim, state: "canceled" | "failed", code: string) => Promise<boolean>;
  /**
   * Registers bytes that were written but not added, so that they are removed if nothing needs them. It takes no claim, because
   * the claim was lost.
   */
  readonly abandon: (sha256: string) => Promise<void>;
};
