import type { Delivery } from "../ledger/delivery.ts";
import type {
  ToldEntitlement,
  Webhook,
  WebhookEvent,
  WebhookRecords,
  WebhookSecrets,
  WebhookState,
} from "./webhook.ts";

/** What a webhook is to be sent. */
export type WebhookMessage = {
  /** The same for all webhooks of the customer that are told of one event, and whenever it is sent. */
  readonly id: string;
  readonly type: WebhookEvent | "webhook.test";
  /** When what it tells of was found, or for a complete delivery when it was, in milliseconds since 1970. */
  readonly at: number;
  /** The delivery that it tells of. */
  readonly delivery: Delivery | null;
  /** Version of the entitlement that it tells of; null: none is in force, or it is about something else. */
  readonly entitlementVersion: number | null;
};

/** A message that somebody is sending. Whoever claims its webhook later has a higher round, and this one is lost. */
export type WebhookSending = {
  readonly webhook: Webhook;
  readonly secrets: WebhookSecrets;
  /** Attempts at the webhook's first message so far, without this one. */
  readonly attempts: number;
  readonly round: number;
  /** When its webhook was due. */
  readonly due: number;
  readonly message: WebhookMessage;
};

/** Terms of a claim. Times are in milliseconds. */
export type WebhookClaimTerms = {
  /** How long the webhook is the claimant's own. */
  readonly lease: number;
  /** Longest time that a webhook is made to wait. */
  readonly wait: number;
  /** Webhooks of one customer that may be sent something at the same time. */
  readonly most: number;
};

/** What became of an attempt. Times are in milliseconds since 1970. */
export type WebhookResult = {
  readonly at: number;
  /** What the address has answered; null: nothing. */
  readonly status: number | null;
  readonly failure: string | null;
  readonly state: WebhookState;
  /** Whether the message is to be sent again. */
  readonly isKept: boolean;
  /** When the webhook may be sent something again. */
  readonly due: number;
};

/**
 * What webhooks are still to be told. A delivery that has ended is told of once, and that is noted with the messages; a message
 * is there until it has arrived. Times are in milliseconds since 1970, by the caller's clock; every method throws
 * {@link StoreError} `registry_unavailable`.
 */
export type WebhookOutbox = {
  /** Make messages of deliveries that have ended. Gives how many were looked at. */
  readonly gather: (at: number, limit: number) => Promise<number>;
  /**
   * A webhook whose customer's entitlement is to be compared with what it was told: another one is installed, or it was last
   * looked at so many milliseconds ago.
   */
  readonly claimComparison: (at: number, interval: number) => Promise<Webhook | undefined>;
  /**
   * Make a message of what a webhook's customer is granted now, for all its webhooks that were told otherwise; false: somebody
   * else has told of that.
   */
  readonly tell: (webhook: Webhook, told: ToldEntitlement, at: number) => Promise<boolean>;
  /**
   * Claims the first message of a webhook. A webhook is sent one at a time. Customers who are being sent fewest messages come first, and of
   * their webhooks the one that has waited longest: receivers that answer late delay their own customer.
   */
  readonly claim: (at: number, terms: WebhookClaimTerms) => Promise<WebhookSending | undefined>;
  /**
   * Note what became of an attempt; false: the message is somebody else's by now, or the webhook is gone. Who asked for a test
   * meanwhile does not wait.
   */
  readonly note: (sending: WebhookSending, result: WebhookResult) => Promise<boolean>;
  /** Give a message up, or have it wait until a time, without an attempt; false as of `note`. */
  readonly drop: (sending: WebhookSending) => Promise<boolean>;
  readonly defer: (sending: WebhookSending, due: number) => Promise<boolean>;
};

export type WebhookRegistry = WebhookRecords & { readonly outbox: WebhookOutbox };
