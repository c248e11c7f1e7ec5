import type { ChainLink } from "@cadastre/manifest";
import type { VerifiedManifest } from "../fetch/manifest.ts";
import type { StagedDelivery, StagingOptions } from "../fetch/staging.ts";
import type { ListedDelivery } from "./position.ts";

/** State of a subscription, and the code of the failure for which it is suspended. */
export type SubscriptionState = {
  readonly status: string;
  readonly failure?: { readonly code: string } | null | undefined;
  /** True if the entitlement was revoked, and the copy must be deleted. */
  readonly purge_required?: boolean | undefined;
};

/** Source of the deliveries of a subscription: the service, or a bucket. */
export type DeliveryFeed = {
  readonly subscription: string;
  /**
   * Returns the delivery to load after `last`; undefined if there is none yet.
   *
   * @throws {ClientError} `delivery_missed`
   */
  readonly next: (last: ChainLink | undefined) => Promise<ListedDelivery | undefined>;
  /** Returns the deliveries that follow one, as far as they are known without asking. Absent if none are. */
  readonly ahead?: ((of: ListedDelivery) => readonly ListedDelivery[]) | undefined;
  /** Fetches the manifest of a delivery, and verifies its hash, signature and pins. */
  readonly manifest: (delivery: ListedDelivery) => Promise<VerifiedManifest>;
  readonly stage: (
    delivery: VerifiedManifest,
    from: ListedDelivery,
    options: StagingOptions,
  ) => Promise<StagedDelivery>;
  /** Acknowledges a loaded delivery; undefined if deliveries are not acknowledged. */
  readonly acknowledge: ((delivery: ChainLink) => Promise<void>) | undefined;
  /** Returns the state of the subscription. Absent if it is not known, as from a bucket alone. */
  readonly state?: (() => Promise<SubscriptionState>) | undefined;
};
