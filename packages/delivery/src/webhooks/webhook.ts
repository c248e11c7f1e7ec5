/** Events that a message of our own form is about. */
export const messageEvents = [
  "entitlement.changed",
  "delivery.completed",
  "delivery.failed",
  "delivery.canceled",
  "subscription.suspended",
  "entitlement.revoked",
] as const;

/** Events that a customer can subscribe a webhook to. A webhook for `entity.changed` gets RESO EntityEvents (RCP-28), and nothing else. */
export const webhookEvents = [...messageEvents, "entity.changed"] as const;

export type WebhookEvent = (typeof webhookEvents)[number];

/**
 * `failing`: the last message could not be delivered. `suspended`: entity events could not be delivered for so long that they are not sent
 * again until the customer asks for a test. `disabled` is final.
 */
export const webhookStates = ["active", "failing", "suspended", "disabled"] as const;

export type WebhookState = (typeof webhookStates)[number];

/** Entitlement that a customer was notified of; null if nothing is granted. */
export type ToldEntitlement = { readonly version: number; readonly scopeSha256: string } | null;

/** How a webhook gets entity events. */
type EventPush = {
  /** Text of the header `EntityEventSource`; null for none. */
  readonly source: string | null;
  /** Number of the last event that has arrived, or after which the customer asked to begin. */
  readonly sent: number;
};

/** A webhook to register. Times are in milliseconds since 1970. */
export type NewWebhook = {
  /** UUID. */
  readonly id: string;
  readonly customer: string;
  readonly url: string;
  readonly events: readonly WebhookEvent[];
  readonly created: number;
  /** Entitlement that the customer already knows. */
  readonly told: ToldEntitlement;
  /** Null unless the webhook is for `entity.changed`. */
  readonly eventPush: EventPush | null;
};

export type Webhook = NewWebhook & {
  readonly state: WebhookState;
  /**
   * True if the customer was told that the entitlement grants nothing any more, such as one that has expired, and not of a revocation: one
   * may follow.
   */
  readonly toldLapse: boolean;
  /** Reason why the last message failed; null if it was delivered. */
  readonly failure: string | null;
  /** HTTP status of the last response; null if there was none. */
  readonly lastStatus: number | null;
  /** Time of the last attempt to send. */
  readonly lastAttempt: number | null;
  /** Time until which messages are also signed with the previous secret. */
  readonly previousUntil: number | null;
};

/** Secrets of a webhook as they are stored; the caller encrypts them. */
export type WebhookSecrets = {
  readonly secret: string;
  readonly previous: string | null;
  /** Bearer token that the receiver of entity events asks for; null for other webhooks. */
  readonly token: string | null;
};

/**
 * The webhooks of customers. A webhook of another customer is treated like one that does not exist. Every method throws {@link
 * StoreError} `registry_unavailable`, and those that name a webhook `not_found`.
 */
export type WebhookRecords = {
  /**
   * Registers a webhook.
   *
   * @param secrets as they are stored; the caller encrypts them
   * @param most maximum number of webhooks of the customer, including this one
   * @throws {DeliveryError} `too_many_webhooks`, `unknown_customer`
   */
  readonly register: (
    webhook: NewWebhook,
    secrets: Pick<WebhookSecrets, "secret" | "token">,
    most: number,
  ) => Promise<Webhook>;
  readonly find: (customer: string, id: string) => Promise<Webhook | undefined>;
  /** Returns the webhooks of a customer, oldest first. */
  readonly list: (customer: string) => Promise<readonly Webhook[]>;
  /** Deletes a webhook and its unsent messages. */
  readonly remove: (customer: string, id: string) => Promise<Webhook>;
  /** Replaces the secret. Until the time `until`, messages are also signed with the previous one. */
  readonly rotate: (customer: string, id: string, secret: string, until: number) => Promise<Webhook>;
  /**
   * Queues a test message, unless one is already queued. Resumes a suspended webhook.
   *
   * @throws {DeliveryError} `webhook_disabled`
   */
  readonly test: (customer: string, id: string, at: number) => Promise<Webhook>;
};
