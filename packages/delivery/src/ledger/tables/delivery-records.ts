import type { Knex } from "@cadastre/store/registry";
import { DeliveryError } from "../../errors.ts";
import { type Delivery, statesBefore } from "../delivery.ts";
import type { DeliveryRecords } from "../ledger.ts";
import { acknowledgeIn } from "./acknowledgements.ts";
import { createDelivery, replayDelivery } from "./create-delivery.ts";
import { findDocument } from "./delivery-documents.ts";
import {
  deliveryTable,
  manifestTable,
  partTable,
  revocable,
  selectDelivery,
  selectParts,
  toDelivery,
} from "./delivery-rows.ts";

/** Creates the part of the ledger that serves customers' requests. */
export const createDeliveryRecords = (knex: Knex): DeliveryRecords => ({
  create: createDelivery(knex),
  replay: replayDelivery(knex),
  find: (customer, id) => selectDelivery(knex, { id, customer }),
  list: async (customer, { after, limit, at }) => {
    const complete = deliveryTable(knex)
      .where({ customer, state: "complete" })
      .andWhere("expires", ">", at)
      .orderBy([
        { column: "completed", order: "desc" },
        { column: "id", order: "desc" },
      ])
      .limit(limit);
    if (after !== undefined)
      complete.whereRaw("(??, ??) < (?, ?)", ["completed", "id", after.completed, after.id]);
    return (await complete).map(toDelivery);
  },
  endingAt: async (customer, checkpoint) => {
    const named = await deliveryTable(knex)
      .where({ customer })
      .whereLike("pinned", `%"toCheckpoint":${JSON.stringify(checkpoint)}%`)
      .first();
    return named && toDelivery(named);
  },
  parts: (id) => selectParts(knex, { delivery: id }),
  countParts: async (delivery) => {
    const rows = await partTable(knex).where({ delivery }).count({ finished: "*" });
    return Number(rows[0]?.finished);
  },
  part: async (id, number) => (await selectParts(knex, { delivery: id, number }))[0],
  manifest: async (id) => {
    const row = await manifestTable(knex).where({ delivery: id }).first();
    if (row === undefined) return undefined;
    const { text, sha256, signature, signature_sha256: signatureSha256 } = row;
    return { text, sha256, signature, signatureSha256 };
  },
  document: findDocument(knex),
  cancel: (customer, id, code) =>
    knex.transaction(async (transaction) => {
      await revocable(transaction)
        .where({ customer, id })
        .whereIn("state", statesBefore("canceled"))
        .update({ state: "canceled", code, worker: null, announced: null });
      return requireCanceled(await selectDelivery(transaction, { customer, id }));
    }),
  acknowledge: acknowledgeIn(knex),
});

/**
 * Checks that a delivery is canceled.
 *
 * @throws {DeliveryError} `not_found`, `delivery_not_open`
 */
function requireCanceled(delivery: Delivery | undefined): Delivery {
  if (delivery === undefined) throw new DeliveryError("not_found");
  if (delivery.state !== "canceled") throw new DeliveryError("delivery_not_open", delivery.id);
  return delivery;
}
