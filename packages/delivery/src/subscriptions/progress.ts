import type { DeliveryErrorCode } from "../errors.ts";
import { windowEndOf } from "../exports/pinned.ts";
import type { Delivery } from "../ledger/delivery.ts";
import type { Subscription, SubscriptionProgress } from "./subscription.ts";

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
  "basis_changed",
];

/** Why a delivery failed before anybody could have it: its place is delivered anew. */
const replaced: readonly (string | null)[] = ["delivery_expired", "part_lost"];

/** Why a delivery was canceled that the customer is not granted any more, or not so. */
const isUngranted = (code: string | null): boolean =>
  code === "entitlement_changed" || code === "capability_required";

/** What a destination is at fault for: once it is active again the same place is delivered. */
const degraded: readonly (string | null)[] = ["destination_denied", "destination_not_active"];

/** Suspended until its destination is active again, or else until somebody resumes it. */
const failed = (code: string | null, at: number): Changes => {
  if (degraded.includes(code)) return suspended("destination_degraded", at);
  return suspended(code === "destination_conflict" ? code : "build_failed", null);
};

/** What becomes of a subscription once its delivery has ended; undefined: it has not. */
export function settled(subscription: Subscription, delivery: Delivery, at: number): Changes | undefined {
  const { generation, sequence, manifestSha256, toCheckpoint, code } = delivery;
  switch (delivery.state) {
    case "queued":
    case "building":
    case "sealed":
    case "publishing":
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
      return { delivery: null, ...(isUngranted(code) ? { due: at } : {}) };
    case "failed":
      if (outdated.includes(code) || (code === "part_lost" && delivery.completed !== null))
        return reset(subscription, at);
      if (subscription.state !== "active") return { delivery: null };
      return { delivery: null, ...(replaced.includes(code) ? { due: at } : failed(code, at)) };
  }
}
