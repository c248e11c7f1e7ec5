import type { Acknowledgement, Delivery, DeliveryState, Destination } from "@cadastre/delivery";
import { type DeliveryStatus, folderOf } from "@cadastre/delivery";

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

/** What is told of destinations beside a delivery: prefixes by their ids. */
export type Prefixes = ReadonlyMap<string, string>;

export const prefixesOf = (destinations: readonly Destination[]): Prefixes =>
  new Map(destinations.map(({ id, prefix }) => [id, prefix]));

/** How far what is pushed is, where that is not the state itself. */
const publicationStates: Partial<Record<DeliveryState, string>> = {
  queued: "waiting",
  building: "waiting",
  sealed: "waiting",
  // Once it was complete it stays in the bucket.
  expired: "complete",
  purged: "complete",
};

const publicationView = (delivery: Delivery, state: DeliveryState, prefixes: Prefixes) => {
  const { destination } = delivery;
  if (destination === null) return null;
  const prefix = `${prefixes.get(destination) ?? ""}/${folderOf(delivery)}/`;
  return { status: publicationStates[state] ?? state, prefix };
};

/** A delivery in the list. */
export const deliveryView = (
  delivery: Delivery,
  prefixes: Prefixes,
  state: DeliveryState = delivery.state,
) => ({
  id: delivery.id,
  status: state,
  domain: delivery.domain,
  deliveryMode: delivery.mode,
  subscriptionId: delivery.subscription,
  generation: delivery.generation,
  sequence: delivery.sequence,
  noChange: delivery.noChange,
  failure: delivery.code === null ? null : { code: delivery.code },
  publication: publicationView(delivery, state, prefixes),
  createdAt: instant(delivery.created),
  completedAt: delivery.completed === null ? null : instant(delivery.completed),
  expiresAt: instant(delivery.expires),
});

/** A delivery by itself. */
export const statusView = ({ delivery, state, parts }: DeliveryStatus, prefixes: Prefixes) => ({
  ...deliveryView(delivery, prefixes, state),
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
