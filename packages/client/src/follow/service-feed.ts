import { z } from "zod";
import { ClientError } from "../errors.ts";
import { acknowledge, deliveryId } from "../fetch/exports.ts";
import { fetchManifest, type TrustedKeys } from "../fetch/manifest.ts";
import type { Pins } from "../fetch/pins.ts";
import { stageParts } from "../fetch/staging.ts";
import type { Connection } from "../http/connection.ts";
import { dataOf } from "../http/envelope.ts";
import { askJson } from "../http/request.ts";
import type { DeliveryFeed } from "./feed.ts";
import { following, type ListedDelivery } from "./position.ts";

export type ServiceFeedOptions = {
  readonly trust: TrustedKeys;
  readonly pins?: Pins;
  /** Reference in the acknowledgements; null if none are sent. */
  readonly reference: string | null;
};

/** Numbers of deliveries to list: a few first, then, if the next one is not among them, the most that a service returns. */
const limits = [20, 500] as const;

const count = z.int().nonnegative();
const listed = z.array(z.object({ id: deliveryId, status: z.string(), generation: count, sequence: count }));
const word = z.string().regex(/^\w{1,64}$/);
const feedState = z.object({
  status: word,
  failure: z.object({ code: word }).nullish(),
  purge_required: z.boolean().optional(),
});

/** Returns a feed of a subscription's deliveries from a service. */
export function serviceFeed(
  connection: Connection,
  subscription: string,
  { trust, pins = {}, reference }: ServiceFeedOptions,
): DeliveryFeed {
  if (!deliveryId.safeParse(subscription).success) throw new ClientError("subscription_id_invalid");
  const announced = async (limit: number): Promise<readonly ListedDelivery[]> => {
    const request = "the deliveries";
    const path = `/v1/file-export-subscriptions/${subscription}/deliveries?limit=${limit}`;
    const found = dataOf(await askJson(connection, { path }, request), listed, request);
    return found.map(({ status, ...one }) => ({ ...one, isComplete: status === "complete" }));
  };
  return {
    subscription,
    next: async (last) => {
      for (const limit of limits) {
        const found = await announced(limit);
        const { next, isBehind } = following(found, last);
        if (next !== undefined || !isBehind) return next;
        if (found.length < limit) break;
      }
      throw new ClientError("delivery_missed");
    },
    manifest: ({ id }) => fetchManifest(connection, id, { trust, pins }),
    stage: (delivery, _, options) => stageParts(connection, delivery, options),
    acknowledge: acknowledgeBy(connection, reference),
    state: stateBy(connection, subscription),
  };
}

/** Returns a function that asks a service for the state of a subscription. */
export const stateBy =
  (connection: Connection, subscription: string): NonNullable<DeliveryFeed["state"]> =>
  async () => {
    const request = "the subscription";
    const path = `/v1/file-export-subscriptions/${subscription}`;
    return dataOf(await askJson(connection, { path }, request), feedState, request);
  };

/** Returns a function that acknowledges deliveries to a service, wherever they were read from. */
export const acknowledgeBy = (
  connection: Connection,
  reference: string | null,
): DeliveryFeed["acknowledge"] =>
  reference === null ? undefined : (delivery) => acknowledge(connection, delivery, reference);
