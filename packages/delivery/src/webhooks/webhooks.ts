import { randomBytes } from "node:crypto";
import type { Scope } from "@cadastre/entitlement";
import { DeliveryError } from "../errors.ts";
import { type RandomBytes, type SealingKey, sealText } from "../sealed-text.ts";
import { isUuid, uuidBytes, uuidOf } from "../uuid.ts";
import { newSecret } from "./secret.ts";
import { type WebhookReach, webhookUrl } from "./url.ts";
import { type Webhook, type WebhookEvent, type WebhookRecords, webhookEvents } from "./webhook.ts";

/** Restriction on the hosts of webhooks, and the key that their secrets are encrypted with. */
export type WebhookTerms = WebhookReach & { readonly key: SealingKey };

export type WebhookOptions = WebhookTerms & {
  readonly registry: WebhookRecords;
  /** Limit on a customer's webhooks. By default 8. */
  readonly most?: number | undefined;
  /** Returns milliseconds since 1970. By default the system time. */
  readonly clock?: (() => number) | undefined;
  /** By default the random bytes of the operating system. */
  readonly random?: RandomBytes | undefined;
};

export type WebhookRequest = {
  readonly url: string;
  /** By default all events. */
  readonly events?: readonly string[] | undefined;
};

/** A webhook with its secret, which is shown only once. */
export type IssuedWebhook = { readonly webhook: Webhook; readonly secret: string };

/**
 * Operations of customers on their webhooks. Another customer's webhook is reported as `not_found`, like one that does not exist. Every
 * method throws {@link DeliveryError}, and `StoreError` `registry_unavailable`.
 */
export type Webhooks = {
  /**
   * @param scope the customer's present scope: the webhook is notified when it changes to another one
   * @throws {DeliveryError} `invalid_webhook_url`, `invalid_webhook_events`, `too_many_webhooks`
   */
  readonly register: (scope: Scope, request: WebhookRequest) => Promise<IssuedWebhook>;
  /** Returns a customer's webhooks, oldest first. */
  readonly list: (customer: string) => Promise<readonly Webhook[]>;
  /** @throws {DeliveryError} `not_found` */
  readonly find: (customer: string, id: string) => Promise<Webhook>;
  /** Deletes a webhook with its pending messages. @throws {DeliveryError} `not_found` */
  readonly remove: (customer: string, id: string) => Promise<Webhook>;
  /** Issues a new secret. The previous one signs as well for a day. @throws {DeliveryError} `not_found` */
  readonly rotate: (customer: string, id: string) => Promise<IssuedWebhook>;
  /** Queues a test message. @throws {DeliveryError} `not_found`, `webhook_disabled` */
  readonly test: (customer: string, id: string) => Promise<Webhook>;
};

/** Time during which both secrets sign after a rotation, in milliseconds. */
const overlap = 86_400_000;

/** Returns the operations on the webhooks of a registry. It is independent of HTTP. */
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
      return { webhook: await registry.register(webhook, sealed, most), secret };
    },
    list: (customer) => registry.list(customer),
    find,
    remove: async (customer, id) => {
      await find(customer, id);
      return registry.remove(customer, id);
    },
    rotate: async (customer, id) => {
      await find(customer, id);
      const { secret, sealed } = issue(id);
      return {
        webhook: await registry.rotate(customer, id, sealed, clock() + overlap),
        secret,
      };
    },
    test: async (customer, id) => {
      await find(customer, id);
      return registry.test(customer, id, clock());
    },
  };
}

/** Returns the events in the order of the table. @throws {DeliveryError} `invalid_webhook_events` */
function eventsOf(names: readonly string[]): readonly WebhookEvent[] {
  const events = webhookEvents.filter((event) => names.includes(event));
  if (events.length === 0 || events.length !== names.length)
    throw new DeliveryError("invalid_webhook_events", undefined, { allowed: webhookEvents });
  return events;
}
