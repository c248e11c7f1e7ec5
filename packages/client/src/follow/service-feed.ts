import type { ChainLink } from "@cadastre/manifest";
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

/** Number of deliveries that are staged ahead by a copy that is far behind. */
const stagedAhead = 4;

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
  const announced = async (limit: number, from?: string): Promise<readonly ListedDelivery[]> => {
    const request = "the deliveries";
    const list = `/v1/file-export-subscriptions/${subscription}/deliveries?limit=${limit}`;
    const path = from === undefined ? list : `${list}&from=${from}`;
    const found = dataOf(await askJson(connection, { path }, request), listed, request);
    return found.map(({ status, ...one }) => ({ ...one, isComplete: status === "complete" }));
  };
  /** Deliveries that were listed from a place on, for a copy that is far behind. They are followed without being listed again. */
  let page: readonly ListedDelivery[] = [];
  /** Finds what follows a copy that is further behind than a list of the last deliveries goes. */
  const nextFarBehind = async (
    last: ChainLink | undefined,
    newest: readonly ListedDelivery[],
  ): Promise<ListedDelivery | undefined> => {
    const generation = Math.max(0, ...newest.map((one) => one.generation));
    const own = last?.manifest.generation ?? 0;
    const places = [
      ...(generation > own ? [`${generation}.0`] : []),
      ...(last === undefined ? [] : [`${own}.${last.manifest.sequence}`]),
    ];
    for (const from of places) {
      const listed = await announced(limits[1], from).catch(asMissed);
      // One that was canceled or has failed may have the place of one that is complete.
      page = listed.filter(({ isComplete }) => isComplete);
      const { next } = following(page, last);
      if (next !== undefined) return next;
    }
    return undefined;
  };
  return {
    subscription,
    next: async (last) => {
      const ahead = nextOfPage(page, last);
      if (ahead !== undefined) return ahead;
      page = [];
      let found: readonly ListedDelivery[] = [];
      for (const limit of limits) {
        found = await announced(limit);
        const { next, isBehind } = following(found, last);
        if (next !== undefined || !isBehind) return next;
        if (found.length < limit) throw new ClientError("delivery_missed");
      }
      const older = await nextFarBehind(last, found);
      if (older === undefined) throw new ClientError("delivery_missed");
      return older;
    },
    ahead: ({ id }) => {
      const place = page.findIndex((one) => one.id === id);
      return place < 0 ? [] : page.slice(place + 1, place + 1 + stagedAhead);
    },
    manifest: ({ id }) => fetchManifest(connection, id, { trust, pins }),
    stage: (delivery, _, options) => stageParts(connection, delivery, options),
    acknowledge: acknowledgeBy(connection, reference),
    state: stateBy(connection, subscription),
  };
}

/** A service of an earlier version refuses to list from a place. @throws {ClientError} */
function asMissed(error: unknown): never {
  const isRefused = error instanceof ClientError && error.code === "request_refused";
  throw isRefused ? new ClientError("delivery_missed") : error;
}

/** Returns the delta after the last loaded delivery, if both are on a page. */
function nextOfPage(
  page: readonly ListedDelivery[],
  last: ChainLink | undefined,
): ListedDelivery | undefined {
  const place = page.findIndex(({ id }) => id === last?.manifest.deliveryId);
  return place < 0 ? undefined : following(page.slice(place, place + 2), last).next;
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
