import type { IssuedWebhook, Webhook } from "@cadastre/delivery";
import type { Answer } from "../http/answer.ts";
import { enveloped } from "../v1/envelope.ts";
import { readWebhookRequest } from "./bodies.ts";
import type { DeliveryRequest } from "./delivery-request.ts";
import { dataResponse, noStoreResponse } from "./responses.ts";
import type { DeliveryServices } from "./services.ts";
import { type WebhookEndpoint, webhooksRoot } from "./webhook-operations.ts";

type Endpoint = (request: DeliveryRequest, services: DeliveryServices) => Promise<Answer>;

/** Handlers of the endpoints of webhooks. */
export const webhookEndpoints: Readonly<Record<WebhookEndpoint, Endpoint>> = {
  registerWebhook: async (request, { webhooks }) => {
    const asked = readWebhookRequest(await request.body());
    const issued = await webhooks.register(request.caller.scope, asked);
    const location = `${webhooksRoot}/${issued.webhook.id}`;
    return noStoreResponse(dataResponse(issuedWebhookView(issued), request), 201, { location });
  },

  webhooks: async ({ caller: { scope } }, { webhooks }) => {
    const found = await webhooks.list(scope.customer);
    return enveloped(found.map(webhookView), scope, { count: found.length });
  },

  webhook: async (request, { webhooks }) =>
    dataResponse(webhookView(await webhooks.find(request.caller.scope.customer, request.id)), request),

  deleteWebhook: async (request, { webhooks }) => {
    const { caller, id } = request;
    return noStoreResponse(
      dataResponse(webhookView(await webhooks.remove(caller.scope.customer, id)), request),
      200,
    );
  },

  rotateWebhook: async (request, { webhooks }) => {
    const { caller, id } = request;
    return noStoreResponse(
      dataResponse(issuedWebhookView(await webhooks.rotate(caller.scope.customer, id)), request),
      200,
    );
  },

  testWebhook: async (request, { webhooks }) => {
    const { caller, id } = request;
    return noStoreResponse(
      dataResponse(webhookView(await webhooks.test(caller.scope.customer, id)), request),
      202,
    );
  },
};

const instant = (at: number): string => new Date(at).toISOString();
const orNull = (at: number | null): string | null => (at === null ? null : instant(at));

/** Returns the JSON of a webhook: the members of the request, then its state. */
const webhookView = (webhook: Webhook) => ({
  id: webhook.id,
  url: webhook.url,
  events: webhook.events,
  status: webhook.state,
  failure: webhook.failure === null ? null : { code: webhook.failure },
  last_status: webhook.lastStatus,
  last_attempt_at: orNull(webhook.lastAttempt),
  previous_secret_until: orNull(webhook.previousUntil),
  created_at: instant(webhook.created),
});

/** Returns the JSON of a webhook with its secret, which is only shown in this answer. */
const issuedWebhookView = ({ webhook, secret }: IssuedWebhook) => ({
  ...webhookView(webhook),
  secret,
});
