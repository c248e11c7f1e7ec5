import type { Delivery, Subscription, SubscriptionProgress } from "@cadastre/store/registry";
import type { DeliveryErrorCode } from "../errors.ts";
import { windowEndOf } from "../pinned.ts";

type Changes = Partial<SubscriptionProgress>;

/** What a customer is told of a subscription's state: `resetting` until the seed of a later generation is complete. */
export type SubscriptionStatus = Subscription["state"] | "resetting";

export const statusOf = ({ state, generation, sequence }: Subscription): SubscriptionStatus =>
  state === "active" && generation > 1 && sequence === 0 ? "resetting" : state;

/** Start anew: what is delivered next is a seed, of a generation of its own. */
export const reset = ({ generation }: Pick<Subscription, "generation">, at: number): Changes => ({
  generation: generation + 1,
  sequence: 0,
  since: null,
  sinceName: null,
  pins: null,
  delivery: null,
  due: at,
});

export const suspended = (code: DeliveryErrorCode, due: number | null): Changes => ({
  state: "suspended",
  code,
  due,
});

/** Why a delivery failed that no retry would help, and a seed does. */
const outdated: readonly (string | null)[] = [
  "checkpoint_expired",
  "schema_changed",
  "profile_changed",
  "identities_changed",
];

/** What becomes of a subscription once its delivery has ended; undefined: it has not. */
export function settled(subscription: Subscription, delivery: Delivery, at: number): Changes | undefined {
  const { generation, sequence, manifestSha256, toCheckpoint, code } = delivery;
  switch (delivery.state) {
    case "queued":
    case "building":
    case "sealed":
      return undefined;
    case "complete":
    case "expired":
    case "purged":
      return {
        delivery: null,
        sequence: sequence + 1,
        since: toCheckpoint,
        sinceName: windowEndOf(delivery.pinned),
        previous: manifestSha256 === null ? null : { generation, sequence, manifestSha256 },
      };
    case "canceled":
      // What the entitlement has become is looked at then, and may be the same again.
      return { delivery: null, ...(code === "entitlement_changed" ? { due: at } : {}) };
    case "failed":
      if (outdated.includes(code)) return reset(subscription, at);
      return { delivery: null, ...(subscription.state === "active" ? suspended("build_failed", null) : {}) };
  }
}
