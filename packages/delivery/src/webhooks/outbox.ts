import type { Delivery } from "../ledger/delivery.ts";
import type {
  ToldEntitlement,
  Webhook,
  WebhookEvent,
  WebhookRecords,
  WebhookSecrets,
  WebhookState,
} from "./webhook.ts";

/** A message to be sent to a webhook. */
export type OutboxMessage = {
  /** Id of the event. It is the same for all of the customer's webhooks, and for all attempts. */
  readonly id: string;
  readonly type: WebhookEvent | "webhook.test";
  /**
   * Time of the event in milliseconds since 1970: for a complete delivery, its completion; otherwise the time it was noticed.
   */
  readonly at: number;
  /** The delivery that the event is about. */
  readonly delivery: Delivery | null;
  /** Version of the entitlement that the event is about; null if no entitlement is in force, or for other events. */
  readonly entitlementVersion: number | null;
  /** The subscription that was suspended, and the code of the reason. */
  readonly suspended: { readonly subscription: string; readonly code: string } | null;
};

/** A claimed message. A later claim of the webhook has a higher `round` (fencing token), and this claim is then void. */
export type WebhookSending = {
  readonly webhook: Webhook;
  readonly secrets: WebhookSecrets;
  /** Number of earlier attempts to send the webhook's first message. */
  readonly attempts: number;
  readonly round: number;
  /** Time at which the webhook was due. */
  readonly due: number;
  readonly message: OutboxMessage;
};

/** `all`: the entitlement was removed; `deliveries`: the one in force grants no deliveries, which concerns who has had some. */
export type Revocation = "all" | "deliveries";

/** Terms of a claim. Times are in milliseconds. */
export type WebhookClaimTerms = {
  /** Duration of the lease. */
  readonly lease: number;
  /** Longest time that a webhook waits between two attempts. */
  readonly wait: number;
  /** Maximum number of a customer's webhooks that are claimed at the same time. */
  readonly most: number;
};

/** Result of an attempt. Times are in milliseconds since 1970. */
export type WebhookResult = {
  readonly at: number;
  /** HTTP status of the response; null if there was none. */
  readonly status: number | null;
  readonly failure: string | null;
  readonly state: WebhookState;
  /** `done`: the message is deleted; `kept`: for another attempt; `continued`: kept as a new one, for the events that follow. */
  readonly message: "done" | "kept" | "continued";
  /** Earliest time of the next attempt. */
  readonly due: number;
  /** Number of the last entity event that has arrived; undefined if none has. */
  readonly sent?: number | undefined;
};

/**
 * Outbox of webhook messages. A delivery that has ended is marked in the transaction that creates its messages, so it is reported
 * once; a message stays until it is delivered. Times are in milliseconds since 1970, by the caller's clock. Every method throws
 * {@link StoreError} `registry_unavailable`.
 */
export type WebhookOutbox = {
  /** Creates messages for deliveries that have ended. Returns the number of deliveries processed. */
  readonly gather: (at: number, limit: number) => Promise<number>;
  /** Creates messages for subscriptions that have been suspended. Returns the number of subscriptions processed. */
  readonly gatherSuspended: (at: number, limit: number) => Promise<number>;
  /**
   * Claims a webhook for comparing its customer's entitlement with the one it was notified of: because another version is
   * installed, or because the last comparison was `interval` milliseconds ago.
   */
  readonly claimComparison: (at: number, interval: number) => Promise<Webhook | undefined>;
  /**
   * Creates a message about the customer's entitlement, for all webhooks of the customer that were last notified of another one, and one
   * about its revocation if there is such: also for those that were told of a lapse before. Returns false if another process has created them
   * already.
   */
  readonly tell: (
    webhook: Webhook,
    now: ToldEntitlement,
    event: { readonly at: number; readonly revocation: Revocation | null },
  ) => Promise<boolean>;
  /** Returns the webhooks for entity events that have no message about them, the oldest first. */
  readonly idleForEvents: () => Promise<readonly Webhook[]>;
  /** Creates a message that stands for all entity events that have not arrived, unless there is one. */
  readonly wake: (webhook: Webhook, at: number) => Promise<void>;
  /**
   * Claims the first message of a webhook. A webhook is sent one message at a time. Customers with the fewest claimed webhooks come
   * first, then the webhook that has waited longest: slow receivers delay only their own customer.
   */
  readonly claim: (at: number, terms: WebhookClaimTerms) => Promise<WebhookSending | undefined>;
  /**
   * Stores the result of an attempt. Returns false if the claim is void, or the webhook was deleted. If a test was requested
   * meanwhile, the webhook stays due for it.
   */
  readonly note: (sending: WebhookSending, result: WebhookResult) => Promise<boolean>;
  /** Deletes a message without an attempt. Returns false like `note`. */
  readonly drop: (sending: WebhookSending) => Promise<boolean>;
  /** Postpones a message until the time `due`, without an attempt. Returns false like `note`. */
  readonly defer: (sending: WebhookSending, due: number) => Promise<boolean>;
};

export type WebhookRegistry = WebhookRecords & { readonly outbox: WebhookOutbox };
