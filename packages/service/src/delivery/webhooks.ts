import {
  type IssuedWebhook,
  type Webhook,
  webhookEvents,
  webhookFailures,
  webhookStates,
} from "@cadastre/delivery";
import { z } from "zod";
import { defineEndpoint } from "../endpoint/endpoint.ts";
import { oneOf, pathId, string, timestamp, uri, uuid, whole } from "../endpoint/members.ts";
import { faultCode } from "../endpoint/read-request.ts";
import { failure, toInstant, toInstantOrNull } from "./delivery-view.ts";
import type { DeliveryServices } from "./services.ts";

const root = "/v1/webhooks";
const params = pathId("webhook");
// Webhooks need no channel: every customer may be notified that its entitlement has changed.
const onWebhooks = { path: root, tag: "Delivery", channel: null } as const;
const onWebhook = { ...onWebhooks, path: `${root}/{id}`, params } as const;

const members = {
  id: uuid,
  url: uri,
  events: z.array(oneOf(webhookEvents)).min(1),
  status: z.enum(webhookStates),
  failure: failure(webhookFailures),
  last_status: whole.nullable(),
  last_attempt_at: timestamp.nullable(),
  previous_secret_until: timestamp.nullable(),
  entity_events: z.object({ source: string.nullable(), sent: whole }).nullable(),
  created_at: timestamp,
};

const webhook = z.object(members);
const issued = z.object({ ...members, secret: string });

/** Returns the JSON of a webhook: the members of the request, then its state. */
export const webhookView = (found: Webhook) => ({
  id: found.id,
  url: found.url,
  events: found.events,
  status: found.state,
  failure: found.failure === null ? null : { code: found.failure },
  last_status: found.lastStatus,
  last_attempt_at: toInstantOrNull(found.lastAttempt),
  previous_secret_until: toInstantOrNull(found.previousUntil),
  entity_events: found.eventPush,
  created_at: toInstant(found.created),
});

/** Returns the JSON of a webhook with its secret, which is only shown in this answer. */
const issuedWebhookView = ({ webhook: created, secret }: IssuedWebhook) => ({
  ...webhookView(created),
  secret,
});

const eventsCode = faultCode("invalid_webhook_events");
const tokenCode = faultCode("invalid_event_token");
const sourceCode = faultCode("invalid_event_source");
const numberCode = faultCode("invalid_event_number");

const entityEvents = z
  .strictObject({
    token: z.string(tokenCode).meta({ minLength: 1, maxLength: 2050, writeOnly: true }),
    source: z.string(sourceCode).meta({ minLength: 1, maxLength: 255 }).optional(),
    after: z.int(numberCode).meta({ minimum: 0 }).optional(),
  })
  .meta({ description: "For `entity.changed`, which needs a webhook of its own" });

const register = defineEndpoint({
  ...onWebhooks,
  method: "post",
  summary:
    "Register an address to be notified of changes. Only this answer has `secret` (beyond the specification)",
  audit: "webhook.register",
  body: {
    url: z.string(faultCode("invalid_webhook_url")).meta({ format: "uri" }),
    events: z
      .array(z.string(eventsCode).meta({ enum: [...webhookEvents] }), eventsCode)
      .meta({ minItems: 1 })
      .optional(),
    entity_events: entityEvents.optional(),
  },
  answer: { status: 201, data: issued },
  errors: [
    "invalid_webhook_url",
    "invalid_webhook_events",
    "invalid_entity_events",
    "entity_events_unavailable",
    "invalid_event_token",
    "invalid_event_source",
    "invalid_event_number",
    "channel_not_entitled",
    "too_many_webhooks",
  ],
  handle: async ({ caller, body: { entity_events, ...request }, reply }, { webhooks }: DeliveryServices) => {
    const created = await webhooks.register(caller.scope, { ...request, entityEvents: entity_events });
    return reply(issuedWebhookView(created), { headers: { location: `${root}/${created.webhook.id}` } });
  },
});

const listWebhooks = defineEndpoint({
  ...onWebhooks,
  method: "get",
  summary: "Your webhooks, the oldest first (beyond the specification)",
  answer: { data: z.array(webhook), meta: { count: whole } },
  errors: [],
  handle: async ({ caller, reply }, { webhooks }: DeliveryServices) => {
    const found = await webhooks.list(caller.scope.customer);
    return reply(found.map(webhookView), { meta: { count: found.length } });
  },
});

const getWebhook = defineEndpoint({
  ...onWebhook,
  method: "get",
  summary: "One webhook (beyond the specification)",
  answer: { data: webhook },
  errors: ["not_found"],
  handle: async ({ caller, params: { id }, reply }, { webhooks }: DeliveryServices) =>
    reply(webhookView(await webhooks.find(caller.scope.customer, id))),
});

const deleteWebhook = defineEndpoint({
  ...onWebhook,
  method: "delete",
  summary: "Delete a webhook with its pending messages (beyond the specification)",
  audit: "webhook.delete",
  answer: { data: webhook },
  errors: ["not_found"],
  handle: async ({ caller, params: { id }, reply }, { webhooks }: DeliveryServices) =>
    reply(webhookView(await webhooks.remove(caller.scope.customer, id))),
});

const rotateSecret = defineEndpoint({
  ...onWebhook,
  method: "post",
  path: `${root}/{id}/rotate`,
  summary:
    "Replace the secret; the one before signs as well for a day. Only this answer has `secret` (beyond the specification)",
  audit: "webhook.rotate",
  answer: { data: issued },
  errors: ["not_found"],
  handle: async ({ caller, params: { id }, reply }, { webhooks }: DeliveryServices) =>
    reply(issuedWebhookView(await webhooks.rotate(caller.scope.customer, id))),
});

const testWebhook = defineEndpoint({
  ...onWebhook,
  method: "post",
  path: `${root}/{id}/test`,
  summary:
    "Send a test message soon, and retry failed messages at once, also of a suspended webhook; `status` shows the result (beyond the specification)",
  audit: "webhook.test",
  answer: { status: 202, data: webhook },
  errors: ["not_found", "webhook_disabled"],
  handle: async ({ caller, params: { id }, reply }, { webhooks }: DeliveryServices) =>
    reply(webhookView(await webhooks.test(caller.scope.customer, id))),
});

/** Endpoints of webhooks, which are not in the interface specification. */
export const webhookEndpoints = [
  register,
  listWebhooks,
  getWebhook,
  deleteWebhook,
  rotateSecret,
  testWebhook,
];
