import type { DeliveryStatus } from "@cadastre/delivery";
import type { Acknowledgement, Delivery, DeliveryState } from "@cadastre/store/registry";

const instant = (at: number): string => new Date(at).toISOString();

/** A delivery as its creation answers, and answers again however far it is by then. */
export const creationView = ({ id, domain, mode, destination, created }: Delivery) => ({
  id,
  status: "queued",
  domain,
  deliveryMode: mode,
  destinationId: destination,
  createdAt: instant(created),
});

/** A delivery in the list. */
export const deliveryView = (delivery: Delivery, state: DeliveryState = delivery.state) => ({
  id: delivery.id,
  status: state,
  domain: delivery.domain,
  deliveryMode: delivery.mode,
  subscriptionId: delivery.subscription,
  generation: delivery.generation,
  sequence: delivery.sequence,
  // Only a delta may be of no change.
  noChange: false,
  failure: delivery.code === null ? null : { code: delivery.code },
  publication: null,
  createdAt: instant(delivery.created),
  completedAt: delivery.completed === null ? null : instant(delivery.completed),
  expiresAt: instant(delivery.expires),
});

/** A delivery by itself. */
export const statusView = ({ delivery, state, parts }: DeliveryStatus) => ({
  ...deliveryView(delivery, state),
  progress: { parts },
});

export const acknowledgementView = (acknowledged: Acknowledgement) => ({
  delivery_id: acknowledged.delivery,
  generation: acknowledged.generation,
  sequence: acknowledged.sequence,
  manifest_sha256: acknowledged.manifestSha256,
  customer_reference: acknowledged.reference,
  acknowledged_at: instant(acknowledged.at),
});
