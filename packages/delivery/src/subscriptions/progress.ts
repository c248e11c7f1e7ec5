import type { DeliveryErrorCode } from "../errors.ts";
import { windowEndOf } from "../exports/pinned.ts";
import type { Delivery } from "../ledger/delivery.ts";
import type { Subscription, SubscriptionProgress } from "./subscription.ts";

type Changes = Partial<SubscriptionProgress>;

/** State of a subscription as its customer sees it: `resetting` until the seed of a later generation is complete. */
export type SubscriptionStatus = Subscription["state"] | "resetting";

export const statusOf = ({ state, generation, sequence }: Subscription): SubscriptionStatus =>
  state === "active" && generation > 1 && sequence === 0 ? "resetting" : state;

/** Starts a new generation: the next delivery is a seed. */
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

/** Codes of failures that a retry would repeat, but a new seed avoids. */
const outdated: readonly (string | null)[] = [
  "checkpoint_expired",
  "schema_changed",
  "profile_changed",
  "basis_changed",
  "filter_outdated",
];

/** Codes of failures before the delivery was complete: it is created anew with the same sequence number. */
const replaced: readonly (string | null)[] = ["delivery_expired", "part_lost"];

/** True if the delivery was canceled because the entitlement no longer permits it. */
const isUngranted = (code: string | null): boolean =>
  code === "entitlement_changed" || code === "capability_required";

/** Codes of failures of the destination. Once it is active again, the delivery is created anew with the same sequence number. */
const degraded: readonly (string | null)[] = ["destination_denied", "destination_not_active"];

/** Suspends a subscription until its destination is active again, or, for other failures, until it is resumed by hand. */
const failed = (code: string | null, at: number): Changes => {
  if (degraded.includes(code)) return suspended("destination_degraded", at);
  return suspended(code === "destination_conflict" ? code : "build_failed", null);
};

/** Returns the changes of a subscription after its delivery has ended; undefined if the delivery is still open. */
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
      // The next step checks the entitlement, which may permit the delivery again by then.
      return { delivery: null, ...(isUngranted(code) ? { due: at } : {}) };
    case "failed":
      if (outdated.includes(code) || (code === "part_lost" && delivery.completed !== null))
        return reset(subscription, at);
      if (subscription.state !== "active") return { delivery: null };
      return { delivery: null, ...(replaced.includes(code) ? { due: at } : failed(code, at)) };
  }
}
