/** What a customer may have a webhook told of. */
export const webhookEvents = [
  "entitlement.changed",
  "delivery.completed",
  "delivery.failed",
  "delivery.canceled",
] as const;

export type WebhookEvent = (typeof webhookEvents)[number];

/** `failing`: its last message did not arrive. `disabled` is for good. */
export const webhookStates = ["active", "failing", "disabled"] as const;

export type WebhookState = (typeof webhookStates)[number];

/** What a customer was found to be granted; null: nothing. */
export type ToldEntitlement = { readonly version: number; readonly scopeSha256: string } | null;

/** What is settled when a webhook is registered. Times are in milliseconds since 1970. */
export type NewWebhook = {
  /** UUID. */
  readonly id: string;
  readonly customer: string;
  readonly url: string;
  readonly events: readonly WebhookEvent[];
  readonly created: number;
  /** What its customer knows of the entitlement already. */
  readonly told: ToldEntitlement;
};

export type Webhook = NewWebhook & {
  readonly state: WebhookState;
  /** What its last message failed of. */
  readonly failure: string | null;
  /** What its address has answered last; null: nothing. */
  readonly lastStatus: number | null;
  /** When it was last tried to send it something. */
  readonly lastAttempt: number | null;
  /** Until when the secret before the present one signs as well. */
  readonly previousUntil: number | null;
};

/** Secrets of a webhook as they are kept: sealed by whoever gives them. */
export type WebhookSecrets = { readonly secret: string; readonly previous: string | null };

/**
 * The webhooks of customers. One of another customer is as absent as one that does not exist; every method throws
 * {@link StoreError} `registry_unavailable`, and those that name a webhook `not_found`.
 */
export type WebhookRecords = {
  /**
   * @param secret as it is to be kept
   * @param most webhooks that the customer may have with this one
   * @throws {DeliveryError} `too_many_webhooks`, `unknown_customer`
   */
  readonly register: (webhook: NewWebhook, secret: string, most: number) => Promise<Webhook>;
  readonly find: (customer: string, id: string) => Promise<Webhook | undefined>;
  /** Those of a customer, the oldest first. */
  readonly list: (customer: string) => Promise<readonly Webhook[]>;
  /** Forget it, with what it was still to be told. */
  readonly remove: (customer: string, id: string) => Promise<Webhook>;
  /** Give it another secret; until a time the present one signs as well. */
  readonly rotate: (customer: string, id: string, secret: string, until: number) => Promise<Webhook>;
  /** Have it sent a message that tells nothing, unless one waits already. @throws {DeliveryError} `webhook_disabled` */
  readonly test: (customer: string, id: string, at: number) => Promise<Webhook>;
};
