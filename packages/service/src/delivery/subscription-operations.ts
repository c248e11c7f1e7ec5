import { cadenceBounds, domainNames, maxKeyLength, maxNameLength } from "@cadastre/delivery";
import type { Operation } from "../http/operation.ts";
import {
  envelope,
  idParameter,
  instant,
  integer,
  json,
  limitParameter,
  listedDelivery,
  object,
  operation,
  orNull,
  string,
  uuid,
} from "./schemas.ts";

/** Path of the subscriptions. Source: interface specification, section 4.3. */
export const subscriptionsRoot = "/v1/file-export-subscriptions";

const asked = {
  name: { type: "string", minLength: 1, maxLength: maxNameLength },
  domain: { type: "string", enum: domainNames },
  deliveryMode: { type: "string", enum: ["pull", "push", "both"] },
  cadenceSeconds: { type: "integer", minimum: cadenceBounds.least, maximum: cadenceBounds.most },
} as const;

const preferredMinuteOfDay = { type: "integer", minimum: 0, maximum: 1439 } as const;
const emptyDeliveryBehavior = { type: "string", enum: ["manifest_only", "skip"] } as const;

const subscription = object({
  id: uuid,
  ...asked,
  destinationId: orNull(string),
  preferredMinuteOfDay: orNull(preferredMinuteOfDay),
  emptyDeliveryBehavior,
  profileId: string,
  status: { type: "string", enum: ["active", "resetting", "suspended", "paused", "canceled"] },
  failure: orNull(object({ code: string })),
  generation: integer,
  next_sequence: integer,
  next_due_at: orNull(instant),
  created_at: instant,
});

const ofId = idParameter("subscription");

const one = (method: Operation["method"], path: string, summary: string): Operation =>
  operation(method, `${subscriptionsRoot}/{id}${path}`, summary, envelope(subscription), {
    parameters: [ofId],
  });

/** OpenAPI operations of subscriptions, by endpoint. The summaries say which are not in the specification. */
export const subscriptionOperations = {
  subscribe: operation(
    "post",
    subscriptionsRoot,
    "Have all that the key sees of a domain delivered as files, then what changes of it, again and again",
    envelope(subscription),
    {
      status: 201,
      takes: json(
        object(
          {
            ...asked,
            destinationId: string,
            preferredMinuteOfDay,
            emptyDeliveryBehavior,
            profileId: string,
            idempotencyKey: { type: "string", minLength: 1, maxLength: maxKeyLength },
          },
          ["destinationId", "preferredMinuteOfDay", "emptyDeliveryBehavior", "profileId", "idempotencyKey"],
        ),
      ),
    },
  ),
  subscriptions: operation(
    "get",
    subscriptionsRoot,
    "Subscriptions, the last created first (beyond the specification)",
    envelope({ type: "array", items: subscription }, { count: integer }),
    { parameters: [limitParameter("Subscriptions")] },
  ),
  subscription: one("get", "", "How far a subscription is (beyond the specification)"),
  subscriptionDeliveries: operation(
    "get",
    `${subscriptionsRoot}/{id}/deliveries`,
    "Deliveries of a subscription, the last one of the last generation first",
    envelope({ type: "array", items: listedDelivery }, { count: integer }),
    { parameters: [ofId, limitParameter("Deliveries")] },
  ),
  pauseSubscription: one(
    "post",
    "/pause",
    "Have nothing delivered until it is resumed (beyond the specification)",
  ),
  resumeSubscription: one("post", "/resume", "Go on at once (beyond the specification)"),
  resetSubscription: one("post", "/reset", "Start a new generation, with a seed (beyond the specification)"),
  unsubscribe: one("delete", "", "End a subscription for good (beyond the specification)"),
} as const satisfies Record<string, Operation>;

export type SubscriptionEndpoint = keyof typeof subscriptionOperations;
