import type { Subscription } from "@cadastre/delivery";
import { statusOf } from "@cadastre/delivery";

/** A subscription: what was asked for in the spelling of the request, then how far it is. */
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

/** A subscription as its creation answers, and answers again however far it is by then. */
export const createdSubscriptionView = (subscription: Subscription) =>
  subscriptionView({
    ...subscription,
    state: "active",
    code: null,
    generation: 1,
    sequence: 0,
    due: subscription.created,
  });
