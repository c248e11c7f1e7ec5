import type { ChangeSubscription } from "@cadastre/delivery";
import type { Answer } from "../http/answer.ts";
import { enveloped } from "../v1/envelope.ts";
import { readSubscriptionRequest } from "./bodies.ts";
import type { DeliveryRequest } from "./delivery-request.ts";
import { prefixesFor } from "./prefixes.ts";
import { dataResponse, noStoreResponse, readLimit } from "./responses.ts";
import type { DeliveryServices } from "./services.ts";
import { type SubscriptionEndpoint, subscriptionsRoot } from "./subscription-operations.ts";
import { createdSubscriptionView, subscriptionView } from "./subscription-views.ts";
import { deliveryView } from "./views.ts";

type Endpoint = (request: DeliveryRequest, services: DeliveryServices) => Promise<Answer>;

/** Creates a handler that changes a subscription and answers with its new state. */
const changed =
  (changeOf: (services: DeliveryServices) => ChangeSubscription): Endpoint =>
  async (request, services) =>
    noStoreResponse(
      dataResponse(subscriptionView(await changeOf(services)(request.caller, request.id)), request),
      200,
    );

/** Handlers of the endpoints of subscriptions. */
export const subscriptionEndpoints: Readonly<Record<SubscriptionEndpoint, Endpoint>> = {
  subscribe: async (request, { subscriptions }) => {
    const asked = readSubscriptionRequest(await request.body());
    const { subscription, replayed } = await subscriptions.create(request.caller, asked);
    return noStoreResponse(dataResponse(createdSubscriptionView(subscription), request), 201, {
      location: `${subscriptionsRoot}/${subscription.id}`,
      ...(replayed ? { "idempotency-replayed": "true" } : {}),
    });
  },

  subscriptions: async ({ caller, parameters }, { subscriptions }) => {
    const found = await subscriptions.list(caller, readLimit(parameters.get("limit")));
    return enveloped(found.map(subscriptionView), caller.scope, { count: found.length });
  },

  subscription: async (request, { subscriptions }) =>
    dataResponse(subscriptionView(await subscriptions.find(request.caller, request.id)), request),

  subscriptionDeliveries: async ({ caller, id, parameters }, services) => {
    const limit = readLimit(parameters.get("limit"));
    const found = await services.subscriptions.deliveries(caller, id, limit);
    const pushed = found.map(({ delivery }) => delivery);
    const prefixes = await prefixesFor(services, caller.scope.customer, pushed);
    const views = found.map(({ delivery, state }) => deliveryView(delivery, prefixes, state));
    return enveloped(views, caller.scope, { count: found.length });
  },

  pauseSubscription: changed(({ subscriptions }) => subscriptions.pause),
  resumeSubscription: changed(({ subscriptions }) => subscriptions.resume),
  resetSubscription: changed(({ subscriptions }) => subscriptions.reset),
  unsubscribe: changed(({ subscriptions }) => subscriptions.cancel),
};
