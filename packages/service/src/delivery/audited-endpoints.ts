import type { ApiKeyCaller } from "@cadastre/delivery";
import type { Request } from "express";
import type { AuditAction } from "../audit/actions.ts";
import { type AuditObject, type AuditOutcome, type AuditTrail, givenId } from "../audit/audit-trail.ts";
import type { Answer } from "../http/answer.ts";
import { toPublicError } from "../http/error-body.ts";
import { findContext } from "../http/request-context.ts";
import type { DestinationEndpoint } from "./destination-operations.ts";
import type { DeliveryEndpoint } from "./operations.ts";
import type { SubscriptionEndpoint } from "./subscription-operations.ts";
import type { WebhookEndpoint } from "./webhook-operations.ts";

export type AuditedEndpoint = DeliveryEndpoint | SubscriptionEndpoint | DestinationEndpoint | WebhookEndpoint;

/** Action in the audit trail of each endpoint. Null for endpoints that neither change anything nor grant access. */
const actions: Readonly<Record<AuditedEndpoint, AuditAction | null>> = {
  create: "export.create",
  list: null,
  status: null,
  cancel: "export.cancel",
  manifest: null,
  download: "export.grant",
  redeem: "export.redeem",
  acknowledge: "export.acknowledge",
  subscribe: "subscription.create",
  subscriptions: null,
  subscription: null,
  subscriptionDeliveries: null,
  pauseSubscription: "subscription.pause",
  resumeSubscription: "subscription.resume",
  resetSubscription: "subscription.reset",
  unsubscribe: "subscription.cancel",
  reserve: "destination.reserve",
  destinations: null,
  destination: null,
  verifyDestination: "destination.verify",
  rotateDestination: "destination.rotate",
  disableDestination: "destination.disable",
  registerWebhook: "webhook.register",
  webhooks: null,
  webhook: null,
  deleteWebhook: "webhook.delete",
  rotateWebhook: "webhook.rotate",
  testWebhook: "webhook.test",
};

/** A request to an endpoint. `id` is the text in the path, empty if it has none. */
export type EndpointCall = {
  readonly name: AuditedEndpoint;
  readonly req: Request;
  readonly caller: ApiKeyCaller;
  readonly id: string;
};

/** Runs an endpoint. Its action is recorded before the request is answered, see `AuditTrail.run`. */
export function auditEndpoint<T>(
  audit: AuditTrail,
  { name, req, caller, id }: EndpointCall,
  work: (know: (object: AuditObject) => void) => Promise<T>,
): Promise<T> {
  const action = actions[name];
  if (action === null) return work(() => {});
  const { requestId = null, address = null } = findContext(req) ?? {};
  const actor = { type: "customer", customer: caller.scope.customer, keyId: caller.apiKey } as const;
  return audit.run({ action, actor, object: { id: givenId(id) }, requestId, address }, work);
}

/** Returns the id of a created object from an answer, and whether the answer was replayed. */
export function objectOf({ headers = {} }: Answer): AuditObject {
  const id = headers["location"]?.split("/").at(-1);
  return {
    ...(id === undefined ? {} : { id }),
    ...(headers["idempotency-replayed"] === undefined ? {} : { replayed: true }),
  };
}

export function outcomeOf(error: unknown): AuditOutcome {
  const { status, code } = toPublicError(error);
  return { outcome: status < 500 ? "refused" : "failed", code };
}
