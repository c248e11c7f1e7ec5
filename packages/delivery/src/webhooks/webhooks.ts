import { randomBytes } from "node:crypto";
import type { Scope } from "@cadastre/entitlement";
import { DeliveryError } from "../errors.ts";
import { asDeliveryError } from "../registry-errors.ts";
import { type Random, type SealingKey, sealText } from "../sealed-text.ts";
import { isUuid, uuidBytes, uuidOf } from "../uuid.ts";
import { newSecret } from "./secret.ts";
import { type WebhookReach, webhookUrl } from "./url.ts";
import { type Webhook, type WebhookEvent, type WebhookRecords, webhookEvents } from "./webhook.ts";

/** Where webhooks may go, and what their secrets are kept under. */
export type WebhookTerms = WebhookReach & { readonly key: SealingKey };

export type WebhookOptions = WebhookTerms & {
  readonly registry: WebhookRecords;
  /** Webhooks of a customer at most. By default 8. */
  readonly most?: number | undefined;
  /** The time in milliseconds since 1970. By default that of this machine. */
  readonly clock?: (() => number) | undefined;
  /** By default that of the operating system. */
  readonly random?: Random | undefined;
};

export type WebhookRequest = {
  readonly url: string;
  /** By default all that there are. */
  readonly events?: readonly string[] | undefined;
};

/** A webhook with its secret, which is never told again. */
export type IssuedWebhook = { readonly webhook: Webhook; readonly secret: string };

/**
 * The addresses that customers are told something at. A webhook of another customer is `not_found`, as one that does not exist.
 * Every method throws {@link DeliveryError}, and `StoreError` `registry_unavailable`.
 */
export type Webhooks = {
  /**
   * @param scope what its customer is granted now, and so need not be told
   * @throws {DeliveryError} `invalid_webhook_url`, `invalid_webhook_events`, `too_many_webhooks`
   */
  readonly register: (scope: Scope, request: WebhookRequest) => Promise<IssuedWebhook>;
  /** The oldest first. */
  readonly list: (customer: string) => Promise<readonly Webhook[]>;
  /** @throws {DeliveryError} `not_found` */
  readonly find: (customer: string, id: string) => Promise<Webhook>;
  /** Forget it, with what it was still to be told. @throws {DeliveryError} `not_found` */
  readonly remove: (customer: string, id: string) => Promise<Webhook>;
  /** Give it another secret. The one before signs as well for a day. @throws {DeliveryError} `not_found` */
  readonly rotate: (customer: string, id: string) => Promise<IssuedWebhook>;
  /** Have it sent a message that tells nothing. @throws {DeliveryError} `not_found`, `webhook_disabled` */
  readonly test: (customer: string, id: string) => Promise<Webhook>;
};

/** How long two secrets sign after a rotation, in milliseconds. */
const overlap = 86_400_000;

/** The webhooks of a registry. Speaks no HTTP. */
export function createWebhooks(options: WebhookOptions): Webhooks {
  const { registry, key, most = 8, clock = Date.now, random = randomBytes } = options;
  const find = async (customer: string, id: string): Promise<Webhook> => {
    const found = isUuid(id) ? await registry.find(customer, id) : undefined;
    if (found === undefined) throw new DeliveryError("not_found");
    return found;
  };
  const issue = (id: string) => {
    const secret = newSecret(random);
    return { secret, sealed: sealText(secret, id, key, random) };
  };
  return {
    register: async ({ customer, version, scopeSha256 }, { url, events = webhookEvents }) => {
      const created = clock();
      const id = uuidOf(created, random(uuidBytes));
      const webhook = {
        id,
        customer,
        url: webhookUrl(url, options).href,
        events: eventsOf(events),
        created,
        told: { version, scopeSha256 },
      };
      const { secret, sealed } = issue(id);
      return { webhook: await asDeliveryError(registry.register(webhook, sealed, most)), secret };
    },
    list: (customer) => registry.list(customer),
    find,
    remove: async (customer, id) => {
      await find(customer, id);
      return asDeliveryError(registry.remove(customer, id));
    },
    rotate: async (customer, id) => {
      await find(customer, id);
      const { secret, sealed } = issue(id);
      return {
        webhook: await asDeliveryError(registry.rotate(customer, id, sealed, clock() + overlap)),
        secret,
      };
    },
    test: async (customer, id) => {
      await find(customer, id);
      return asDeliveryError(registry.test(customer, id, clock()));
    },
  };
}

/** In the order of the table. @throws {DeliveryError} `invalid_webhook_events` */
function eventsOf(names: readonly string[]): readonly WebhookEvent[] {
  const events = webhookEvents.filter((event) => names.includes(event));
  if (events.length === 0 || events.length !== names.length)
    throw new DeliveryError("invalid_webhook_events");
  return events;
}
