import type { Answer } from "../http/answer.ts";
import { enveloped } from "../v1/envelope.ts";
import { readWebhookRequest } from "./bodies.ts";
import type { DeliveryRequest } from "./delivery-request.ts";
import { dataResponse, noStoreResponse } from "./responses.ts";
import type { DeliveryServices } from "./services.ts";
import { type WebhookEndpoint, webhooksRoot } from "./webhook-operations.ts";
import { issuedWebhookView, webhookView } from "./webhook-views.ts";

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
