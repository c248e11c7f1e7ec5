import {
  type Delivery,
  type DeliveryState,
  type DeliveryStatus,
  deliveryStates,
  folderOf,
} from "@cadastre/delivery";
import { z } from "zod";
import { oneOf, string, timestamp, uuid, whole } from "../endpoint/members.ts";
import type { DeliveryServices } from "./services.ts";

/** Transfer of a delivery: the customer fetches it, it is written to the customer's bucket, or both. */
export const deliveryMode = z.enum(["pull", "push", "both"]);

/** The code of a failure, or null. @param codes all codes; by default they are not listed */
export const failure = (codes?: readonly string[]) =>
  z.object({ code: codes === undefined ? string : oneOf(codes) }).nullable();

/** The text of a time, in milliseconds since 1970. */
export const toInstant = (at: number): string => new Date(at).toISOString();
export const toInstantOrNull = (at: number | null): string | null => (at === null ? null : toInstant(at));

const created = {
  id: uuid,
  status: oneOf(deliveryStates),
  domain: string,
  deliveryMode,
};

/** JSON of a delivery at its creation. */
export const createdDelivery = z.object({
  ...created,
  destinationId: string.nullable(),
  createdAt: timestamp,
});

/** Returns the JSON of a delivery at its creation, so that a replayed request gets the same answer whatever its state is now. */
export const createdDeliveryView = ({ id, domain, mode, destination, created: at }: Delivery) => ({
  id,
  status: "queued",
  domain,
  deliveryMode: mode,
  destinationId: destination,
  createdAt: toInstant(at),
});

const publicationStates = ["waiting", "publishing", "complete", "canceled", "failed"];

const listed = {
  ...created,
  subscriptionId: string.nullable(),
  generation: whole,
  sequence: whole,
  noChange: z.boolean(),
  failure: failure(),
  publication: z.object({ status: oneOf(publicationStates), prefix: string }).nullable(),
  createdAt: timestamp,
  completedAt: timestamp.nullable(),
  expiresAt: timestamp,
};

/** JSON of a delivery in a list. */
export const listedDelivery = z.object(listed);

/** JSON of a delivery in the list of a subscription. */
export const subscribedDelivery = z.object({ ...listed, acknowledgedAt: timestamp.nullable() });

/** JSON of a delivery with its progress. */
export const deliveryStatus = z.object({ ...listed, progress: z.object({ parts: whole }) });

/** Prefixes of destinations by their ids. */
export type Prefixes = ReadonlyMap<string, string>;

/** Returns the prefixes of a customer's destinations. Empty, without a query, if none of the deliveries is pushed. */
export const prefixesFor = async (
  { destinations }: Pick<DeliveryServices, "destinations">,
  customer: string,
  deliveries: readonly Pick<Delivery, "destination">[],
): Promise<Prefixes> =>
  deliveries.some(({ destination }) => destination !== null)
    ? new Map((await destinations.list(customer)).map(({ id, prefix }) => [id, prefix]))
    : new Map();

/** Status of a delivery's publication by the state of the delivery, where the two differ. */
const publicationState: Partial<Record<DeliveryState, string>> = {
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
  return { status: publicationState[state] ?? state, prefix };
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
  createdAt: toInstant(delivery.created),
  completedAt: toInstantOrNull(delivery.completed),
  expiresAt: toInstant(delivery.expires),
});

/** Returns the JSON of a delivery with its progress. */
export const statusView = ({ delivery, state, parts }: DeliveryStatus, prefixes: Prefixes) => ({
  ...deliveryView(delivery, prefixes, state),
  progress: { parts },
});
