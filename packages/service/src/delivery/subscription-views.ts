import type { Subscription } from "@cadastre/delivery";
import { statusOf } from "@cadastre/delivery";

/** Returns the JSON of a subscription: the members of the request in its spelling, then its state. */
export const subscriptionView = (subscription: Subscription) => ({
  id: subscription.id,
  name: subscription.name,
  domain: subscription.domain,
  deliveryMode: subscription.mode,
  destinationId: subscription.destination,
  cadenceSeconds: subscription.cadenceSeconds,
  preferredMinuteOfDay: subscription.preferredMinuteOfDay,
  emptyDeliveryBehavior: subscription.emptyDeliveryBehavior,
  profileId: subscription.profile,
  status: statusOf(subscription),
  failure: subscription.code === null ? null : { code: subscription.code },
  generation: subscription.generation,
  next_sequence: subscription.sequence,
  next_due_at: subscription.due === null ? null : new Date(subscription.due).toISOString(),
  created_at: new Date(subscription.created).toISOString(),
});

/** Returns the JSON of a subscription at its creation, so that a replayed request gets the same answer whatever its state is now. */
export const createdSubscriptionView = (subscription: Subscription) =>
  subscriptionView({
    ...subscription,
    state: "active",
    code: null,
    generation: 1,
    sequence: 0,
    due: subscription.created,
  });
