import {
  type ChangeSubscription,
  cadenceBounds,
  domainNames,
  maxKeyLength,
  maxNameLength,
  type ReachedDelivery,
  type Subscription,
  type SubscriptionReach,
  statusOf,
} from "@cadastre/delivery";
import { z } from "zod";
import type { AuditAction } from "../audit/actions.ts";
import { defineEndpoint, type Endpoint } from "../endpoint/endpoint.ts";
import { limit, oneOf, pathId, string, timestamp, uuid, whole } from "../endpoint/members.ts";
import {
  deliveryMode,
  deliveryView,
  failure,
  prefixesFor,
  subscribedDelivery,
  toInstant,
  toInstantOrNull,
} from "./delivery-view.ts";
import { narrowingMembers, withConditionRefusal } from "./narrowing.ts";
import type { DeliveryServices } from "./services.ts";

const root = "/v1/file-export-subscriptions";
const params = pathId("subscription");
const onSubscriptions = { path: root, tag: "Delivery", channel: "file_delivery" } as const;
const onSubscription = { ...onSubscriptions, path: `${root}/{id}`, params } as const;

const domain = string.meta({ enum: [...domainNames] });
const name = string.meta({ minLength: 1, maxLength: maxNameLength });
const cadenceSeconds = z
  .number()
  .meta({ type: "integer", minimum: cadenceBounds.least, maximum: cadenceBounds.most });
const preferredMinuteOfDay = z.number().meta({ type: "integer", minimum: 0, maximum: 1439 });
const emptyDeliveryBehavior = z.enum(["manifest_only", "skip"]);

const members = {
  id: uuid,
  name,
  domain,
  deliveryMode,
  cadenceSeconds,
  destinationId: string.nullable(),
  preferredMinuteOfDay: preferredMinuteOfDay.nullable(),
  emptyDeliveryBehavior,
  profileId: string,
  filter: string.nullable(),
  select: z.array(string).nullable(),
  status: oneOf(["active", "resetting", "suspended", "paused", "canceled"]),
  failure: failure(),
  generation: whole,
  next_sequence: whole,
  next_due_at: timestamp.nullable(),
  created_at: timestamp,
};

const subscription = z.object(members);

const place = { delivery_id: uuid, generation: whole, sequence: whole, as_of: timestamp };

/** JSON of a subscription with how far it has come. */
const subscriptionStatus = z.object({
  ...members,
  last_delivered: z.object({ ...place, completed_at: timestamp }).nullable(),
  last_acknowledged: z.object({ ...place, acknowledged_at: timestamp }).nullable(),
  lag_seconds: whole.nullable(),
  purge_required: z.boolean(),
  pointer_denied_since: timestamp.nullable(),
});

/** Returns the JSON of a subscription: the members of the request in its spelling, then its state. */
export const subscriptionView = (found: Subscription) => ({
  id: found.id,
  name: found.name,
  domain: found.domain,
  deliveryMode: found.mode,
  destinationId: found.destination,
  cadenceSeconds: found.cadenceSeconds,
  preferredMinuteOfDay: found.preferredMinuteOfDay,
  emptyDeliveryBehavior: found.emptyDeliveryBehavior,
  profileId: found.profile,
  filter: found.narrowing?.filter ?? null,
  select: found.narrowing?.select ?? null,
  status: statusOf(found),
  failure: found.code === null ? null : { code: found.code },
  generation: found.generation,
  next_sequence: found.sequence,
  next_due_at: toInstantOrNull(found.due),
  created_at: toInstant(found.created),
});

const placeView = ({ id, generation, sequence, asOf }: ReachedDelivery) => ({
  delivery_id: id,
  generation,
  sequence,
  as_of: toInstant(asOf),
});

/**
 * Returns the JSON of how far a subscription has come. The lag is the age of the records that the customer has acknowledged.
 *
 * @param at milliseconds since 1970
 */
export const reachView = ({ delivered, acknowledged }: SubscriptionReach, at: number) => ({
  last_delivered: delivered && { ...placeView(delivered), completed_at: toInstant(delivered.at) },
  last_acknowledged: acknowledged && {
    ...placeView(acknowledged),
    acknowledged_at: toInstant(acknowledged.at),
  },
  lag_seconds: acknowledged && lagSeconds(acknowledged, at),
});

/** Returns the age of the records of a delivery in whole seconds. @param at milliseconds since 1970 */
const lagSeconds = ({ asOf }: ReachedDelivery, at: number): number =>
  Math.max(0, Math.floor((at - asOf) / 1000));

/** Returns the JSON of a subscription at its creation, so that a replayed request gets the same answer whatever its state is now. */
const createdSubscriptionView = (created: Subscription) =>
  subscriptionView({
    ...created,
    state: "active",
    code: null,
    generation: 1,
    sequence: 0,
    due: created.created,
  });

const subscribe = defineEndpoint({
  ...onSubscriptions,
  method: "post",
  summary: "Create a subscription. Its seed is due at once, its deltas by the cadence",
  audit: "subscription.create",
  body: {
    name,
    domain,
    deliveryMode,
    cadenceSeconds,
    preferredMinuteOfDay: preferredMinuteOfDay.optional(),
    emptyDeliveryBehavior: emptyDeliveryBehavior.optional(),
    destinationId: string.optional(),
    profileId: string.optional(),
    ...narrowingMembers,
    idempotencyKey: string.meta({ minLength: 1, maxLength: maxKeyLength }).optional(),
  },
  answer: { status: 201, data: subscription },
  errors: [
    "invalid_name",
    "unknown_domain",
    "invalid_cadence",
    "invalid_preferred_minute",
    "unknown_profile",
    "destination_required",
    "entitlement_denied",
    "capability_required",
    "not_found",
    "subscription_exists",
    "too_many_subscriptions",
    "idempotency_conflict",
    "destination_not_active",
    "push_unavailable",
    "invalid_filter",
    "filter_not_available",
    "invalid_select",
  ],
  handle: async ({ caller, body, reply }, { subscriptions }: DeliveryServices) => {
    const { subscription: created, replayed } = await withConditionRefusal(body, () =>
      subscriptions.create(caller, body),
    );
    return reply(createdSubscriptionView(created), {
      headers: {
        location: `${root}/${created.id}`,
        ...(replayed ? { "idempotency-replayed": "true" } : {}),
      },
    });
  },
});

const listSubscriptions = defineEndpoint({
  ...onSubscriptions,
  method: "get",
  summary: "Your subscriptions, the last created first (beyond the specification)",
  query: { limit: limit("Subscriptions") },
  answer: { data: z.array(subscription), meta: { count: whole } },
  errors: ["invalid_limit"],
  handle: async ({ caller, query, reply }, { subscriptions }: DeliveryServices) => {
    const found = await subscriptions.list(caller, query.limit);
    return reply(found.map(subscriptionView), { meta: { count: found.length } });
  },
});

const getSubscription = defineEndpoint({
  ...onSubscription,
  // Also told to a customer who has lost the channel: what was delivered must be deleted then.
  channel: null,
  method: "get",
  summary:
    "One subscription: its state, when its next delivery is due, and how far it has come (beyond the specification)",
  answer: { data: subscriptionStatus },
  errors: ["not_found"],
  handle: async ({ caller, params: { id }, reply }, { subscriptions, destinations }: DeliveryServices) => {
    const { subscription: found, isRevoked, ...reach } = await subscriptions.status(caller, id);
    const destination =
      found.destination === null ? null : await destinations.find(caller.scope.customer, found.destination);
    return reply({
      ...subscriptionView(found),
      ...reachView(reach, Date.now()),
      purge_required: isRevoked,
      pointer_denied_since: toInstantOrNull(destination?.pointerDenied ?? null),
    });
  },
});

/** Place of a delivery: its generation and sequence. */
const firstListed = z
  .string()
  .regex(/^\d{1,15}\.\d{1,15}$/, "must be a generation and a sequence, such as 1.20")
  .transform((text) => {
    const [generation = 0, sequence = 0] = text.split(".").map(Number);
    return { generation, sequence };
  })
  .meta({ description: "Generation and sequence of the first delivery, such as `1.20`", example: "1.0" });

const listDeliveries = defineEndpoint({
  ...onSubscription,
  method: "get",
  path: `${root}/{id}/deliveries`,
  summary:
    "Deliveries of a subscription in any state: the last one of the last generation first, or with `from` those from that place on in order",
  query: { limit: limit("Deliveries"), from: firstListed.optional() },
  answer: { data: z.array(subscribedDelivery), meta: { count: whole } },
  errors: ["invalid_limit", "invalid_request", "not_found"],
  handle: async ({ caller, params: { id }, query, reply }, services: DeliveryServices) => {
    const found = await services.subscriptions.deliveries(caller, id, query.limit, query.from);
    const pushed = found.map(({ delivery }) => delivery);
    const prefixes = await prefixesFor(services, caller.scope.customer, pushed);
    const views = found.map(({ delivery, state, acknowledged }) => ({
      ...deliveryView(delivery, prefixes, state),
      acknowledgedAt: toInstantOrNull(acknowledged),
    }));
    return reply(views, { meta: { count: found.length } });
  },
});

/** Defines an endpoint that changes a subscription and answers with its new state. */
const change = (
  { method, path, summary }: Pick<Endpoint<never>, "method" | "path" | "summary">,
  audit: AuditAction,
  changeOf: (services: DeliveryServices) => ChangeSubscription,
) =>
  defineEndpoint({
    ...onSubscription,
    method,
    path: onSubscription.path + path,
    summary: `${summary} (beyond the specification)`,
    audit,
    answer: { data: subscription },
    errors: ["not_found", "subscription_canceled"],
    handle: async ({ caller, params: { id }, reply }, services: DeliveryServices) =>
      reply(subscriptionView(await changeOf(services)(caller, id))),
  });

/** Endpoints of subscriptions. Source: interface specification, section 4.3. */
export const subscriptionEndpoints = [
  subscribe,
  listSubscriptions,
  getSubscription,
  listDeliveries,
  change(
    {
      method: "post",
      path: "/pause",
      summary: "Create no delivery until it is resumed; one in progress continues",
    },
    "subscription.pause",
    ({ subscriptions }) => subscriptions.pause,
  ),
  change(
    { method: "post", path: "/resume", summary: "Resume: the next delivery is due at once" },
    "subscription.resume",
    ({ subscriptions }) => subscriptions.resume,
  ),
  change(
    { method: "post", path: "/reset", summary: "Begin a new generation, with a seed" },
    "subscription.reset",
    ({ subscriptions }) => subscriptions.reset,
  ),
  change(
    { method: "delete", path: "", summary: "End a subscription for good" },
    "subscription.cancel",
    ({ subscriptions }) => subscriptions.cancel,
  ),
];
