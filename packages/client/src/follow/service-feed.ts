import { z } from "zod";
import { ClientError } from "../errors.ts";
import { askJson } from "../http/ask.ts";
import type { Connection } from "../http/connection.ts";
import { dataOf } from "../http/envelope.ts";
import { acknowledge, deliveryId } from "../pull/exports.ts";
import { fetchManifest, type Trust } from "../pull/manifest.ts";
import type { Pins } from "../pull/pins.ts";
import { stageParts } from "../pull/staging.ts";
import type { Feed } from "./feed.ts";
import { type Announced, following } from "./place.ts";

export type ServiceFeedOptions = {
  readonly trust: Trust;
  readonly pins?: Pins;
  /** What acknowledgements say; null: none is sent. */
  readonly reference: string | null;
};

/** How many deliveries are asked for: the second time as many as a service gives. */
const limits = [20, 500] as const;

const count = z.int().nonnegative();
const listed = z.array(z.object({ id: deliveryId, status: z.string(), generation: count, sequence: count }));

/** The deliveries of a subscription of a service. */
export function serviceFeed(
  connection: Connection,
  subscription: string,
  { trust, pins = {}, reference }: ServiceFeedOptions,
): Feed {
  if (!deliveryId.safeParse(subscription).success) throw new ClientError("subscription_id_invalid");
  const announced = async (limit: number): Promise<readonly Announced[]> => {
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
  };
}

/** Tell a service what was loaded, wherever it came from. */
export const acknowledgeBy = (connection: Connection, reference: string | null): Feed["acknowledge"] =>
  reference === null ? undefined : (delivery) => acknowledge(connection, delivery, reference);
