import type { Acknowledgement, Delivery, DeliveryState, Destination } from "@cadastre/delivery";
import { type DeliveryStatus, folderOf } from "@cadastre/delivery";

const instant = (at: number): string => new Date(at).toISOString();

/** Returns the JSON of a delivery at its creation, so that a replayed request gets the same answer whatever its state is now. */
export const creationView = ({ id, domain, mode, destination, created }: Delivery) => ({
  id,
  status: "queued",
  domain,
  deliveryMode: mode,
  destinationId: destination,
  createdAt: instant(created),
});

/** Prefixes of destinations by their ids. */
export type Prefixes = ReadonlyMap<string, string>;

export const prefixesOf = (destinations: readonly Destination[]): Prefixes =>
  new Map(destinations.map(({ id, prefix }) => [id, prefix]));

/** Status of a delivery's publication by the state of the delivery, where the two differ. */
const publicationStates: Partial<Record<DeliveryState, string>> = {
  queued: "waiting",
  building: "waiting",
  sealed: "waiting",
  // A complete publication stays in the customer's bucket.
  expired: "complete",
  purged: "complete",
};

const publicationView = (delivery: Delivery, state: DeliveryState, prefixes: Prefixes) => {
  const { destination } = delivery;
  if (destination === null) return null;
  const prefix = `${prefixes.get(destination) ?? ""}/${folderOf(delivery)}/`;
  return { status: publicationStates[state] ?? state, prefix };
};

/** Returns the JSON of a delivery in a list. */
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

/** Returns the JSON of a delivery with its progress. */
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
