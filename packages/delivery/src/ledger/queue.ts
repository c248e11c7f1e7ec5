import type { Delivery, DeliveryPart, SealedManifest } from "./delivery.ts";

/** How long a worker has a delivery for itself, and how often one may be lost. */
export type ClaimTerms = {
  /** Milliseconds until the lease ends, unless it is extended; an hour at most. */
  readonly lease: number;
  /** Claims of a delivery without progress; after them it fails, unless it is committed. */
  readonly attempts: number;
  /** What the delivery is claimed for. By default to build it. */
  readonly task?: "build" | "publish" | undefined;
};

/** A delivery that a worker builds or publishes. Whoever claims it later has a higher fence, and this claim is lost. */
export type Claim = { readonly id: string; readonly fence: number };

/**
 * The deliveries that wait to be built or published. All that is done under a claim is done as a whole, and only while no later
 * claim was made. Leases are measured by the clock of the database; every method throws {@link StoreError}
 * `registry_unavailable`, and those that take a claim `lease_lost`.
 */
export type DeliveryQueue = {
  /** The longest waiting delivery, or one whose lease has ended; what is sealed waits to be published. */
  readonly claim: (
    worker: string,
    terms: ClaimTerms,
  ) => Promise<{ readonly claim: Claim; readonly delivery: Delivery } | undefined>;
  readonly extend: (claim: Claim, lease: number) => Promise<void>;
  /** Say which bytes are going to be put among the parts. From then on they are not removed. */
  readonly announce: (claim: Claim, sha256: string) => Promise<void>;
  /** Note a part whose bytes were announced, and are put. */
  readonly addPart: (claim: Claim, part: DeliveryPart) => Promise<void>;
  /** End the building: complete if it is only fetched, else it waits to be published. */
  readonly seal: (claim: Claim, manifest: SealedManifest, at: number) => Promise<void>;
  /** Note that the publishing goes on: an object more was written. */
  readonly advance: (claim: Claim) => Promise<void>;
  /** Note that its end is about to be written. From then on the delivery is tried again until it is complete. Done again it is the same. */
  readonly commit: (claim: Claim, at: number) => Promise<void>;
  /** End the publishing. */
  readonly complete: (claim: Claim, at: number) => Promise<void>;
  /** Give a delivery back that nothing is wrong with. */
  readonly release: (claim: Claim) => Promise<void>;
  /** Have a delivery tried again after a time in milliseconds; it fails if it was tried often enough, unless it is committed. */
  readonly retry: (
    claim: Claim,
    after: number,
    attempts: number,
    code: string,
  ) => Promise<"queued" | "sealed" | "failed">;
  /** Give a delivery up; false: it is committed, and still the claim's. */
  readonly end: (claim: Claim, state: "canceled" | "failed", code: string) => Promise<boolean>;
  /** Say that bytes were put and are not noted: they are removed if nothing needs them. Takes no claim, for it was lost. */
  readonly abandon: (sha256: string) => Promise<void>;
};
