import type { Scope } from "@cadastre/entitlement";
import { StoreError } from "@cadastre/store";
import { type Delivery, type DeliveryLedger, type DeliveryState, isServed } from "@cadastre/store/registry";
import { covers } from "./covers.ts";
import { DeliveryError, type DeliveryErrorCode } from "./errors.ts";
import { grantedBy } from "./pinned.ts";
import { isUuid } from "./uuid.ts";

type Found = { readonly ledger: Pick<DeliveryLedger, "find"> };

/** @throws {DeliveryError} `not_found` */
export async function findDelivery({ ledger }: Found, { customer }: Scope, id: string): Promise<Delivery> {
  const delivery = isUuid(id) ? await ledger.find(customer, id) : undefined;
  if (delivery === undefined) throw new DeliveryError("not_found");
  return delivery;
}

/** States that only a delivery which was once complete can have. */
const over: readonly DeliveryState[] = ["complete", "expired", "purged"];

/** Returns the state of a delivery at a time. Past its expiry it is `expired`, even if no retention run has recorded that yet. */
export const stateAt = (delivery: Delivery, at: number): DeliveryState =>
  delivery.state === "complete" && !isServed(delivery, at) ? "expired" : delivery.state;

/**
 * Returns a delivery that the scope may fetch now.
 *
 * @throws {DeliveryError} `not_found`, `delivery_not_complete`, `delivery_expired`, `delivered_to_bucket`, `entitlement_changed`,
 * `part_lost`
 */
export async function findServed(found: Found, scope: Scope, id: string, at: number): Promise<Delivery> {
  const delivery = await findDelivery(found, scope, id);
  if (delivery.code === "part_lost") throw new DeliveryError("part_lost");
  if (!isServed(delivery, at))
    throw new DeliveryError(over.includes(delivery.state) ? "delivery_expired" : "delivery_not_complete");
  if (delivery.mode === "push") throw new DeliveryError("delivered_to_bucket");
  if (delivery.scopeSha256 !== scope.scopeSha256 && !covers(scope, grantedBy(delivery.pinned)))
    throw new DeliveryError("entitlement_changed");
  return delivery;
}

/** Delivery error codes by the code of the registry's refusal. */
const refusals: Readonly<Record<string, DeliveryErrorCode>> = {
  idempotency_conflict: "idempotency_conflict",
  too_many_exports: "too_many_exports",
  subscription_exists: "subscription_exists",
  too_many_subscriptions: "too_many_subscriptions",
  unknown_delivery: "not_found",
  delivery_not_open: "delivery_not_open",
  delivery_not_complete: "delivery_not_complete",
  sequence_conflict: "sequence_conflict",
  manifest_conflict: "manifest_conflict",
  unknown_destination: "not_found",
  destination_exists: "destination_exists",
  too_many_destinations: "too_many_destinations",
  destination_state: "destination_state",
  unknown_webhook: "not_found",
  too_many_webhooks: "too_many_webhooks",
  webhook_disabled: "webhook_disabled",
};

/** Awaits an answer of the registry, and translates its refusals into errors of deliveries. */
export const asked = <T>(answer: Promise<T>): Promise<T> =>
  answer.catch((error: unknown) => {
    const code = error instanceof StoreError ? refusals[error.code] : undefined;
    throw code === undefined ? error : new DeliveryError(code, undefined, { cause: error });
  });
