import type { Destination } from "../destinations/destination.ts";
import type { AcknowledgedReference, Acknowledgement } from "../ledger/acknowledgement.ts";
import type { Delivery, openStates } from "../ledger/delivery.ts";
import type { Subscription, SubscriptionReach } from "../subscriptions/subscription.ts";
import type { Webhook } from "../webhooks/webhook.ts";

/** Restriction of an operator's list. Members that are left out restrict nothing. */
export type OperatorFilter = {
  readonly customer?: string | undefined;
  /** States, as the objects have them. */
  readonly states?: readonly string[] | undefined;
  readonly limit: number;
};

/** Number and size of parts. */
export type PartTotals = { readonly parts: number; readonly rows: number; readonly bytes: number };

/** A delivery with its place in the queue. Times are in milliseconds since 1970, by the clock of the database. */
export type OperatedDelivery = {
  readonly delivery: Delivery;
  /** Worker that has claimed it. */
  readonly worker: string | null;
  /** Earliest time of the next claim; while it is claimed, the end of the lease. */
  readonly due: number;
  /** Time of the present or last claim; null if it was never claimed, or by an earlier version only. */
  readonly claimed: number | null;
  /** Code of the last failed attempt, if it is to be tried again. */
  readonly fault: string | null;
  readonly now: number;
  readonly finished: PartTotals;
  /** The parts that were finished since `claimed`. */
  readonly sinceClaim: PartTotals;
  /** Number of deliveries that are claimed before it; 0 if it does not wait. */
  readonly ahead: number;
};

/** A delivery that a worker has claimed. */
export type ClaimedDelivery = Pick<Delivery, "id" | "customer" | "state"> & {
  readonly worker: string;
  readonly claimed: number | null;
};

/** A webhook with the messages that wait for it. Times are in milliseconds since 1970. */
export type OperatedWebhook = {
  readonly webhook: Webhook;
  readonly waiting: number;
  /** Time of the event that the oldest of them is about; null if none waits. */
  readonly oldest: number | null;
  /** Time of the next attempt. */
  readonly due: number;
  /** Failed attempts since the last success. */
  readonly attempts: number;
};

/** The evidence that a customer has loaded a delivery, with every reference that it gave, the first one first. */
export type AcknowledgementEvidence = Acknowledgement & {
  readonly customer: string;
  readonly subscription: string | null;
  readonly references: readonly AcknowledgedReference[];
};

/** Figures of all deliveries, for metrics. */
export type DeliveryFigures = {
  /** Number of open deliveries by state. */
  readonly open: Readonly<Record<(typeof openStates)[number], number>>;
  /** Number of failed deliveries by code. */
  readonly failed: ReadonlyMap<string, number>;
  /** Number of suspended subscriptions by code. */
  readonly suspended: ReadonlyMap<string, number>;
  /** Number of destinations in use whose buckets deny that pointers are replaced. */
  readonly pointersDenied: number;
  /** Rows and bytes per second of the parts that were finished in the last five minutes. */
  readonly rate: { readonly rows: number; readonly bytes: number };
  /** The parts of all deliveries; one that several share counts for each. */
  readonly stored: PartTotals;
  /** How far subscriptions have come that are neither paused nor canceled, those that are due first at the beginning. */
  readonly reach: readonly (SubscriptionReach & { readonly subscription: string })[];
};

/**
 * Views and actions of an operator, across all customers. No customer's request may use it. Every method throws {@link StoreError}
 * `registry_unavailable`.
 */
export type DeliveryOperations = {
  /** Returns deliveries, the last created first. */
  readonly deliveries: (
    filter: OperatorFilter & { readonly subscription?: string | undefined },
  ) => Promise<readonly Delivery[]>;
  readonly delivery: (id: string) => Promise<OperatedDelivery | undefined>;
  /** Returns the deliveries that are being built or published, the longest claimed first. */
  readonly claimed: () => Promise<readonly ClaimedDelivery[]>;
  /** Returns subscriptions, the last created first. */
  readonly subscriptions: (filter: OperatorFilter) => Promise<readonly Subscription[]>;
  readonly subscription: (id: string) => Promise<Subscription | undefined>;
  /** Returns destinations, the last created first. */
  readonly destinations: (filter: OperatorFilter) => Promise<readonly Destination[]>;
  readonly destination: (id: string) => Promise<Destination | undefined>;
  /** Returns webhooks, the last created first. */
  readonly webhooks: (filter: OperatorFilter) => Promise<readonly OperatedWebhook[]>;
  readonly webhook: (id: string) => Promise<OperatedWebhook | undefined>;
  /** Returns acknowledgements, the last one first. */
  readonly acknowledgements: (
    filter: Pick<OperatorFilter, "customer" | "limit"> & { readonly delivery?: string | undefined },
  ) => Promise<readonly AcknowledgementEvidence[]>;
  /** @param most number of subscriptions whose reach is read */
  readonly figures: (most: number) => Promise<DeliveryFigures>;
  /**
   * Has a delivery tried again at once: one that waits for its next attempt, or one of no subscription that failed before it was
   * complete. The latter is built anew, with the same bytes.
   *
   * @param at milliseconds since 1970
   * @throws {DeliveryError} `not_found`, `delivery_not_retried`
   */
  readonly retry: (id: string, at: number) => Promise<Delivery>;
  /**
   * Has a webhook send at once. One that is disabled is active again; events of the time between are not sent.
   *
   * @param at milliseconds since 1970
   * @throws {DeliveryError} `not_found`
   */
  readonly resumeWebhook: (id: string, at: number) => Promise<Webhook>;
};
