import type { Int64Column, Knex } from "@cadastre/store/registry";
import { DeliveryError } from "../../errors.ts";
import type { Acknowledgement, NewAcknowledgement } from "../acknowledgement.ts";
import { type Delivery, onceComplete, partLost } from "../delivery.ts";
import type { DeliveryRecords } from "../ledger.ts";
import { selectDelivery } from "./delivery-rows.ts";

type AcknowledgementRow = {
  readonly delivery: string;
  readonly generation: Int64Column;
  readonly sequence: Int64Column;
  readonly manifest_sha256: string;
  readonly reference: string;
  readonly at: Int64Column;
};

export const acknowledgementTable = (knex: Knex) => knex<AcknowledgementRow>("cadastre_acknowledgement");

/** True if the delivery was complete at any time. It can be acknowledged even if a part was lost since. */
const isAcknowledgeable = ({ state, code, completed }: Delivery): boolean =>
  onceComplete.includes(state) || (code === partLost && completed !== null);

/** Returns the function that records acknowledgements in a database. A repeated one changes nothing, and returns the first. */
export const acknowledgeIn =
  (knex: Knex): DeliveryRecords["acknowledge"] =>
  async (customer, id, acknowledgement) => {
    const delivery = await selectDelivery(knex, { id, customer });
    if (delivery === undefined) throw new DeliveryError("not_found", id);
    requireMatch(delivery, acknowledgement);
    const { generation, sequence, manifestSha256, reference, at } = acknowledgement;
    const inserted: readonly unknown[] = await acknowledgementTable(knex)
      .insert({ delivery: id, generation, sequence, manifest_sha256: manifestSha256, reference, at })
      .onConflict("delivery")
      .ignore()
      .returning("delivery");
    const row = await acknowledgementTable(knex).where({ delivery: id }).first();
    if (row === undefined) throw new DeliveryError("not_found", id);
    return { acknowledgement: toAcknowledgement(row), first: inserted.length > 0 };
  };

/**
 * Checks that the acknowledgement matches the delivery.
 *
 * @throws {DeliveryError} `delivery_not_complete`, `sequence_conflict`, `manifest_conflict`
 */
function requireMatch(
  delivery: Delivery,
  { generation, sequence, manifestSha256 }: NewAcknowledgement,
): void {
  const { id } = delivery;
  if (!isAcknowledgeable(delivery)) throw new DeliveryError("delivery_not_complete", id);
  if (generation !== delivery.generation || sequence !== delivery.sequence)
    throw new DeliveryError("sequence_conflict", id);
  if (manifestSha256 !== delivery.manifestSha256) throw new DeliveryError("manifest_conflict", id);
}

const toAcknowledgement = (row: AcknowledgementRow): Acknowledgement => ({
  delivery: row.delivery,
  generation: Number(row.generation),
  sequence: Number(row.sequence),
  manifestSha256: row.manifest_sha256,
  reference: row.reference,
  at: Number(row.at),
});
