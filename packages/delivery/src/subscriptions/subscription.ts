import type { Delivery, DeliveryMode, DeliveryPlace, NewDelivery } from "../ledger/delivery.ts";
import type { Narrowing } from "../profiles/narrowed-profile.ts";

/** `suspended` waits for a problem to be fixed, `paused` for the customer. `canceled` is final. */
type SubscriptionState = "active" | "suspended" | "paused" | "canceled";

/** Result of a delta without changes: a delivery that has only a manifest, or no delivery. */
export type EmptyDeliveryBehavior = "manifest_only" | "skip";

/** Settings of a subscription, which never change. Times are in milliseconds since 1970. */
export type NewSubscription = {
  /** UUID. */
  readonly id: string;
  readonly customer: string;
  /** Unique among the customer's subscriptions that are not canceled. */
  readonly name: string;
  readonly domain: string;
  /** Id of the output profile. */
  readonly profile: string;
  /** Filter and selected fields; null for the whole profile. */
  readonly narrowing: Narrowing | null;
  readonly mode: DeliveryMode;
  readonly destination: string | null;
  readonly cadenceSeconds: number;
  /** Preferred minute of the day for deliveries, in UTC. */
  readonly preferredMinuteOfDay: number | null;
  readonly emptyDeliveryBehavior: EmptyDeliveryBehavior;
  /** Version of the entitlement at its creation. */
  readonly entitlementVersion: number;
  readonly created: number;
};

/** The changing part of a subscription. */
export type SubscriptionProgress = DeliveryPlace & {
  readonly state: SubscriptionState;
  /** Reason for the suspension. */
  readonly code: string | null;
  /** Version of the entitlement that was last checked. */
  readonly entitlementVersion: number;
  /** Time of the next delivery; null if it waits for someone to set one. */
  readonly due: number | null;
  /** Id of the delivery that is in progress, or has ended and is not processed yet; null if there is none. */
  readonly delivery: string | null;
  /** Checkpoint after which the next delta starts; null for a seed, which contains all records. */
  readonly since: number | null;
  /** Name of that checkpoint in the customer's manifests. */
  readonly sinceName: string | null;
  /** The last complete delivery. */
  readonly previous: Delivery["previous"];
  /** Values that all deliveries of a generation share; null before its seed is created. */
  readonly pins: GenerationPins | null;
};

export type GenerationPins = {
  readonly scopeSha256: string;
  readonly schemaSha256: string;
  readonly profileSha256: string;
  /** Version of data without checkpoints that records are computed with, as a text of the reader. */
  readonly basis: string;
};

/** A subscription. `generation` and `sequence` are those of the delivery in progress, or of the next one. */
export type Subscription = NewSubscription &
  SubscriptionProgress & {
    /** Increases with every step. */
    readonly revision: number;
  };

/** A delivery of a subscription that marks how far it has come. Times are in milliseconds since 1970. */
export type ReachedDelivery = DeliveryPlace & {
  readonly id: string;
  /** Time of the state of the records that it holds. */
  readonly asOf: number;
  /** Time at which it was complete or acknowledged. */
  readonly at: number;
};

/** How far a subscription has come. A member is null if there is no such delivery. */
export type SubscriptionReach = {
  /** The last delivery that was complete at any time. */
  readonly delivered: ReachedDelivery | null;
  /** The last delivery that the customer has acknowledged. */
  readonly acknowledged: ReachedDelivery | null;
};

/** An idempotency key. A repeated request creates nothing. */
export type RequestIdentity = { readonly key: string; readonly fingerprint: string };

/**
 * The subscriptions of customers. A subscription of another customer is treated like one that does not exist. Times are in
 * milliseconds since 1970. Every method throws {@link StoreError} `registry_unavailable`.
 */
export type SubscriptionRegistry = {
  /**
   * Creates a subscription whose seed is due immediately. If the request is a repetition, returns the subscription that it
   * created.
   *
   * @param most maximum number of the customer's subscriptions that are not canceled, including this one
   * @throws {DeliveryError} `idempotency_conflict`, `subscription_exists`, `too_many_subscriptions`, `unknown_customer`
   */
  readonly create: (
    subscription: NewSubscription,
    request: RequestIdentity | null,
    most: number,
  ) => Promise<{ readonly subscription: Subscription; readonly replayed: boolean }>;
  /**
   * Returns the current state of the subscription that an earlier, equal request created; undefined if there was none.
   *
   * @throws {DeliveryError} `idempotency_conflict`
   */
  readonly replay: (customer: string, request: RequestIdentity) => Promise<Subscription | undefined>;
  readonly find: (customer: string, id: string) => Promise<Subscription | undefined>;
  /** Returns subscriptions of a customer, newest first. */
  readonly list: (customer: string, limit: number) => Promise<readonly Subscription[]>;
  /**
   * Returns the deliveries of a subscription, sorted by generation and sequence: the last first, or with `from` those from that place on, the
   * first first.
   */
  readonly deliveries: (
    customer: string,
    id: string,
    limit: number,
    from?: DeliveryPlace,
  ) => Promise<readonly Delivery[]>;
  /** Returns when each of these deliveries was acknowledged, by id, in milliseconds since 1970. */
  readonly acknowledgements: (ids: readonly string[]) => Promise<ReadonlyMap<string, number>>;
  readonly reach: (id: string) => Promise<SubscriptionReach>;
  /** Returns a delivery by id, of any customer. */
  readonly delivery: (id: string) => Promise<Delivery | undefined>;
  /**
   * Returns subscriptions that need a step, ordered by id, starting after the id `after`. A subscription needs a step if its
   * delivery has ended; or if it has no delivery and is due, its customer has another entitlement, its destination has become
   * active or stopped being active, or it is broken.
   */
  readonly needingStep: (at: number, after: string, limit: number) => Promise<readonly Subscription[]>;
  /**
   * True if a complete delivery of the current generation is lost (`part_lost`), and the customer has acknowledged neither it nor
   * a later one. A consumer that has not loaded it could not load the deliveries after it.
   */
  readonly isBroken: (subscription: Subscription) => Promise<boolean>;
  /**
   * Changes a subscription if it is unchanged since it was read, and creates its next delivery or cancels the current one, in one
   * transaction.
   *
   * @throws {DeliveryError} `subscription_changed` if it is not as it was read; `delivery_not_open` if its delivery is committed
   * and the subscription is not being canceled
   */
  readonly step: (subscription: Subscription, step: SubscriptionStep) => Promise<Subscription>;
};

export type SubscriptionStep = {
  readonly changes: Partial<SubscriptionProgress>;
  /** New delivery, which becomes the subscription's delivery in progress. */
  readonly creates?: NewDelivery;
  /**
   * Reason for canceling the delivery in progress. A committed delivery is not canceled; the step then fails unless the
   * subscription is canceled.
   */
  readonly cancels?: string;
};
