import type { Delivery, DeliveryMode, DeliveryPlace, NewDelivery } from "../ledger/delivery.ts";

/** `suspended` waits for a repair, `paused` for its customer; what is canceled stays so. */
type SubscriptionState = "active" | "suspended" | "paused" | "canceled";

/** What becomes of a delta without a change: a manifest that says so, or nothing. */
export type EmptyDeliveryBehavior = "manifest_only" | "skip";

/** What is settled when a subscription is created. Times are in milliseconds since 1970. */
export type NewSubscription = {
  /** UUID. */
  readonly id: string;
  readonly customer: string;
  /** No other subscription of the customer that is not canceled has it. */
  readonly name: string;
  readonly domain: string;
  /** Id of the output profile. */
  readonly profile: string;
  readonly mode: DeliveryMode;
  readonly destination: string | null;
  readonly cadenceSeconds: number;
  /** In UTC. */
  readonly preferredMinuteOfDay: number | null;
  readonly emptyDeliveryBehavior: EmptyDeliveryBehavior;
  /** Version of the entitlement that it was created by. */
  readonly entitlementVersion: number;
  readonly created: number;
};

/** What changes of a subscription as it goes on. */
export type SubscriptionProgress = DeliveryPlace & {
  readonly state: SubscriptionState;
  /** Why it is suspended. */
  readonly code: string | null;
  /** Version of the entitlement that was looked at last. */
  readonly entitlementVersion: number;
  /** When its next delivery is due; null: not before somebody says so. */
  readonly due: number | null;
  /** The delivery that is not settled yet: the one before the place, once it is complete. */
  readonly delivery: string | null;
  /** Changes after this checkpoint are delivered next; null: all that is there. */
  readonly since: number | null;
  /** How the customer knows that checkpoint. */
  readonly sinceName: string | null;
  /** The last delivery that was complete. */
  readonly previous: Delivery["previous"];
  /** What all deliveries of a generation have in common; null before its seed is created. */
  readonly pins: GenerationPins | null;
};

export type GenerationPins = {
  readonly scopeSha256: string;
  readonly schemaSha256: string;
  readonly profileSha256: string;
  /** What records are made by beside what has a checkpoint, as text of whoever reads them. */
  readonly basis: string;
};

/** `generation` and `sequence` are the place of its next delivery, or of the one that is not settled yet. */
export type Subscription = NewSubscription &
  SubscriptionProgress & {
    /** Grows with every step. */
    readonly revision: number;
  };

/** A request that may come again, and then creates nothing. */
export type SubscriptionRequest = { readonly key: string; readonly fingerprint: string };

/**
 * The subscriptions of customers. One of another customer is as absent as one that does not exist. Times are in milliseconds
 * since 1970; every method throws {@link StoreError} `registry_unavailable`.
 */
export type SubscriptionRegistry = {
  /**
   * Create a subscription whose seed is due, unless the request was met before: then it is the one that it created.
   *
   * @param most subscriptions that are not canceled which the customer may have with this one
   * @throws {DeliveryError} `idempotency_conflict`, `subscription_exists`, `too_many_subscriptions`, `unknown_customer`
   */
  readonly create: (
    subscription: NewSubscription,
    request: SubscriptionRequest | null,
    most: number,
  ) => Promise<{ readonly subscription: Subscription; readonly replayed: boolean }>;
  /**
   * The subscription that a request created when it was met before, as it is now.
   *
   * @throws {DeliveryError} `idempotency_conflict`
   */
  readonly replay: (customer: string, request: SubscriptionRequest) => Promise<Subscription | undefined>;
  readonly find: (customer: string, id: string) => Promise<Subscription | undefined>;
  /** The last created first. */
  readonly list: (customer: string, limit: number) => Promise<readonly Subscription[]>;
  /** The deliveries of a subscription, the last one of the last generation first. */
  readonly deliveries: (customer: string, id: string, limit: number) => Promise<readonly Delivery[]>;
  /** A delivery of a subscription, whatever its customer. */
  readonly delivery: (id: string) => Promise<Delivery | undefined>;
  /**
   * Subscriptions that something is to be done for, in the order of their ids, those after an id: their delivery has ended; or they
   * have none and it is due, or their customer has another entitlement, or their destination is not active any more, or is again, or
   * they are broken.
   */
  readonly waiting: (at: number, after: string, limit: number) => Promise<readonly Subscription[]>;
  /**
   * True if a delivery of the present generation was complete and is lost (`part_lost`), and the customer has acknowledged neither it
   * nor a later one. A consumer that has not loaded it could not load the deliveries after it.
   */
  readonly isBroken: (subscription: Subscription) => Promise<boolean>;
  /**
   * Change a subscription as it was read, and create its next delivery with that; or cancel the one that it has.
   *
   * @throws {DeliveryError} `subscription_changed` if it is not as it was read; `delivery_not_open` if its delivery is committed and
   * something is to follow it
   */
  readonly step: (subscription: Subscription, step: SubscriptionStep) => Promise<Subscription>;
};

export type SubscriptionStep = {
  readonly changes: Partial<SubscriptionProgress>;
  /** Takes the place of the subscription's. */
  readonly creates?: NewDelivery;
  /** Why the delivery that is not settled is given up; one that is committed is left to a subscription that is canceled. */
  readonly cancels?: string;
};
