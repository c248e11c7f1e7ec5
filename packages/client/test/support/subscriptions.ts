import { json, type Trick } from "./server.ts";

/** A subscription as the service describes it. */
export const remoteSubscription = {
  id: "0198f3a0-1111-7222-8333-444455556666",
  name: "nightly",
  domain: "listing",
  deliveryMode: "pull",
  cadenceSeconds: 86_400,
  destinationId: null,
  preferredMinuteOfDay: 240,
  emptyDeliveryBehavior: "manifest_only",
  profileId: "listing-jsonl",
  filter: null,
  select: null,
  status: "active",
  failure: null,
  generation: 1,
  next_sequence: 3,
  next_due_at: "2030-01-31T04:00:00.000Z",
  created_at: "2026-11-01T00:00:00.000Z",
};

/** Answers requests about subscriptions with this one, and as `answers` says by method and path. */
export const subscriptionTrick =
  (subscription: object, answers: Readonly<Record<string, unknown>> = {}): Trick =>
  ({ method, url }, response) => {
    const request = `${method} ${url.replace("/v1/file-export-subscriptions", "")}`;
    const all = {
      "GET ?limit=500": [subscription],
      [`DELETE /${remoteSubscription.id}`]: subscription,
      ...answers,
    };
    if (!Object.hasOwn(all, request)) return false;
    return json(response, 200, { data: (all as Readonly<Record<string, unknown>>)[request], meta: {} });
  };
