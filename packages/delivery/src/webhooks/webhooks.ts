import { randomBytes } from "node:crypto";
import { requireChannel, type Scope } from "@cadastre/entitlement";
import { DeliveryError } from "../errors.ts";
import { type RandomBytes, type SealingKey, sealText } from "../sealed-text.ts";
import { isUuid, uuidBytes, uuidOf } from "../uuid.ts";
import { newSecret, tokenOwner } from "./secret.ts";
import { type WebhookReach, webhookUrl } from "./url.ts";
import {
  messageEvents,
  type Webhook,
  type WebhookEvent,
  type WebhookRecords,
  webhookEvents,
} from "./webhook.ts";

/** Restriction on the hosts of webhooks, and the key that their secrets are encrypted with. */
export type WebhookTerms = WebhookReach & {
  readonly key: SealingKey;
  /** True if webhooks can be registered for entity events. */
  readonly sendsEvents: boolean;
};

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
  /** By default `entity.changed` if there is `entityEvents`, otherwise all others. */
  readonly events?: readonly string[] | undefined;
  /** For a webhook for `entity.changed`, and required there. */
  readonly entityEvents?: EventPushRequest | undefined;
};

type EventPushRequest = {
  /** Bearer token that the receiver asks for. */
  readonly token: string;
  /** Text of the header `EntityEventSource`. By default there is none. */
  readonly source?: string | undefined;
  /** Number of the event after which to begin. By default the first event is sent too. */
  readonly after?: number | undefined;
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
   * @throws {DeliveryError} `invalid_webhook_url`, `invalid_webhook_events`, `too_many_webhooks`, `invalid_entity_events`,
   * `entity_events_unavailable`, `invalid_event_token`, `invalid_event_source`, `invalid_event_number`
   * @throws {EntitlementError} `channel_not_entitled` for entity events without the channel `odata`
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
  /** Queues a test message, and resumes a suspended webhook. @throws {DeliveryError} `not_found`, `webhook_disabled` */
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
    register: async (scope, { url, entityEvents, ...request }) => {
      const { customer, version, scopeSha256 } = scope;
      const events = eventsOf(request.events ?? (entityEvents ? ["entity.changed"] : messageEvents));
      const push = eventPushOf(events, entityEvents);
      if (push !== null) {
        if (!options.sendsEvents) throw new DeliveryError("entity_events_unavailable");
        requireChannel(scope, "odata");
      }
      const created = clock();
      const id = uuidOf(created, random(uuidBytes));
      const webhook = {
        id,
        customer,
        url: webhookUrl(url, options).href,
        events,
        created,
        told: { version, scopeSha256 },
        eventPush: push && { source: push.source ?? null, sent: push.after ?? 0 },
      };
      const { secret, sealed } = issue(id);
      const token = push && sealText(push.token, tokenOwner(id), key, random);
      return { webhook: await registry.register(webhook, { secret: sealed, token }, most), secret };
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

/** Characters of a bearer token. Source: RFC 6750, section 2.1. */
const tokenForm = /^[A-Za-z0-9._~+/-]{1,2048}={0,2}$/;

/** Texts of the header `EntityEventSource`: they begin and end with a visible character. Source: RCP-28; RFC 9110, section 5.5. */
const sourceForm = /^[!-~](?:[ -~]{0,253}[!-~])?$/;

/**
 * Returns the terms of a webhook for entity events; null for any other.
 *
 * @throws {DeliveryError} `invalid_entity_events`, `invalid_event_token`, `invalid_event_source`, `invalid_event_number`
 */
function eventPushOf(
  events: readonly WebhookEvent[],
  request: EventPushRequest | undefined,
): EventPushRequest | null {
  const isFor = events.includes("entity.changed");
  if (isFor !== (request !== undefined) || (isFor && events.length > 1))
    throw new DeliveryError("invalid_entity_events");
  if (request === undefined) return null;
  const { token, source, after = 0 } = request;
  if (!tokenForm.test(token)) throw new DeliveryError("invalid_event_token");
  if (source !== undefined && !sourceForm.test(source)) throw new DeliveryError("invalid_event_source");
  if (!Number.isSafeInteger(after) || after < 0) throw new DeliveryError("invalid_event_number");
  return request;
}

/** Returns the events in the order of the table. @throws {DeliveryError} `invalid_webhook_events` */
function eventsOf(names: readonly string[]): readonly WebhookEvent[] {
  const events = webhookEvents.filter((event) => names.includes(event));
  if (events.length === 0 || events.length !== names.length)
    throw new DeliveryError("invalid_webhook_events", undefined, { allowed: webhookEvents });
  return events;
}
