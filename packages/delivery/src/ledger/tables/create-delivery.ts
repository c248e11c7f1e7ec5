import { type Knex, withCustomerLock } from "@cadastre/store/registry";
import { DeliveryError } from "../../errors.ts";
import { type Delivery, type NewDelivery, openStates } from "../delivery.ts";
import type { DeliveryRecords, IdempotentRequest } from "../ledger.ts";
import { keepDocuments } from "./delivery-documents.ts";
import { deliveryTable, selectDelivery } from "./delivery-rows.ts";

const requestTable = (knex: Knex) =>
  knex<IdempotentRequest & { readonly customer: string; readonly delivery: string }>(
    "cadastre_delivery_request",
  );

/** Returns the function that creates deliveries in a database. Deliveries of one customer are created one after another. */
export const createDelivery =
  (knex: Knex): DeliveryRecords["create"] =>
  (created, request, most) =>
    withCustomerLock(knex, created.customer, async (transaction) => {
      const replayed = await replayDelivery(transaction)(created.customer, request);
      if (replayed !== undefined) return { delivery: replayed, replayed: true };
      await refuseTooMany(transaction, created.customer, most);
      const delivery = await insertDelivery(transaction, created);
      await requestTable(transaction).insert({
        customer: created.customer,
        delivery: created.id,
        operation: request.operation,
        key: request.key,
        fingerprint: request.fingerprint,
      });
      return { delivery, replayed: false };
    });

/** Returns the function that finds the deliveries of repeated requests. */
export const replayDelivery =
  (knex: Knex): DeliveryRecords["replay"] =>
  async (customer, { operation, key, fingerprint }) => {
    const met = await requestTable(knex).where({ customer, operation, key }).first();
    if (met === undefined) return undefined;
    if (met.fingerprint !== fingerprint) throw new DeliveryError("idempotency_conflict");
    return selectDelivery(knex, { id: met.delivery });
  };

/**
 * Checks the limit of open deliveries. Those of subscriptions do not count.
 *
 * @throws {DeliveryError} `too_many_exports`
 */
async function refuseTooMany(transaction: Knex.Transaction, customer: string, most: number): Promise<void> {
  const open: readonly string[] = await deliveryTable(transaction)
    .where({ customer, subscription: null })
    .whereIn("state", openStates)
    .limit(most)
    .pluck("id");
  if (open.length >= most) throw new DeliveryError("too_many_exports");
}

/** Adds a delivery to the queue, and keeps its documents. */
export async function insertDelivery(
  transaction: Knex.Transaction,
  { documents = [], ...delivery }: NewDelivery,
): Promise<Delivery> {
  await keepDocuments(transaction, delivery.customer, documents);
  const { fromCheckpoint, toCheckpoint, entitlementVersion, scopeSha256, previous, ...same } = delivery;
  await deliveryTable(transaction).insert({
    ...same,
    previous: previous === null ? null : JSON.stringify(previous),
    from_checkpoint: fromCheckpoint,
    to_checkpoint: toCheckpoint,
    entitlement_version: entitlementVersion,
    scope_sha256: scopeSha256,
    state: "queued",
  });
  return {
    ...delivery,
    state: "queued",
    code: null,
    attempts: 0,
    completed: null,
    committed: null,
    manifestSha256: null,
    noChange: false,
  };
}
