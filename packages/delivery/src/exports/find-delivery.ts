import type { Scope } from "@cadastre/entitlement";
import { DeliveryError } from "../errors.ts";
import { type Delivery, type DeliveryState, isServed, onceComplete } from "../ledger/delivery.ts";
import type { DeliveryLedger } from "../ledger/ledger.ts";
import { isUuid } from "../uuid.ts";
import { covers, grantedBy } from "./pinned.ts";

type LedgerReader = { readonly ledger: Pick<DeliveryLedger, "find"> };

/** @throws {DeliveryError} `not_found` */
export async function findDelivery(
  { ledger }: LedgerReader,
  { customer }: Scope,
  id: string,
): Promise<Delivery> {
  const delivery = isUuid(id) ? await ledger.find(customer, id) : undefined;
  if (delivery === undefined) throw new DeliveryError("not_found");
  return delivery;
}

/** Returns the state of a delivery at a time. Past its expiry it is `expired`, even if no retention run has recorded that yet. */
export const stateAt = (delivery: Delivery, at: number): DeliveryState =>
  delivery.state === "complete" && !isServed(delivery, at) ? "expired" : delivery.state;

/**
 * Returns a delivery that the scope may fetch now.
 *
 * @throws {DeliveryError} `not_found`, `delivery_not_complete`, `delivery_expired`, `delivered_to_bucket`, `entitlement_changed`,
 * `part_lost`
 */
export async function findServed(
  found: LedgerReader,
  scope: Scope,
  id: string,
  at: number,
): Promise<Delivery> {
  const delivery = await findDelivery(found, scope, id);
  if (delivery.code === "part_lost") throw new DeliveryError("part_lost");
  if (!isServed(delivery, at))
    throw new DeliveryError(
      onceComplete.includes(delivery.state) ? "delivery_expired" : "delivery_not_complete",
    );
  if (delivery.mode === "push") throw new DeliveryError("delivered_to_bucket");
  if (delivery.scopeSha256 !== scope.scopeSha256 && !covers(scope, grantedBy(delivery.pinned)))
    throw new DeliveryError("entitlement_changed");
  return delivery;
}
