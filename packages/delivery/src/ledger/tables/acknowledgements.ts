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

type ReferenceRow = { readonly delivery: string; readonly reference: string; readonly at: Int64Column };

export const acknowledgementTable = (knex: Knex) => knex<AcknowledgementRow>("cadastre_acknowledgement");
export const referenceTable = (knex: Knex) => knex<ReferenceRow>("cadastre_acknowledgement_reference");

/** Most references that are kept of one delivery. */
const mostReferences = 1000;

/** True if the delivery was complete at any time. It can be acknowledged even if a part was lost since. */
const isAcknowledgeable = ({ state, code, completed }: Delivery): boolean =>
  onceComplete.includes(state) || (code === partLost && completed !== null);

/**
 * Returns the function that records acknowledgements in a database. A repeated one returns the first; its reference is kept if it is
 * another one.
 */
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
    if (inserted.length === 0 && row.reference !== reference)
      await keepReference(knex, { delivery: id, reference, at });
    return { acknowledgement: toAcknowledgement(row), first: inserted.length > 0 };
  };

/** @throws {DeliveryError} `too_many_acknowledgements` */
async function keepReference(knex: Knex, row: ReferenceRow): Promise<void> {
  const { delivery, reference } = row;
  if ((await referenceTable(knex).where({ delivery, reference }).first("at")) !== undefined) return;
  const [kept] = await referenceTable(knex).where({ delivery }).count({ count: "*" });
  if (Number(kept?.count) >= mostReferences - 1)
    throw new DeliveryError("too_many_acknowledgements", delivery);
  await referenceTable(knex).insert(row).onConflict(["delivery", "reference"]).ignore();
}

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

export const toAcknowledgement = (row: AcknowledgementRow): Acknowledgement => ({
  delivery: row.delivery,
  generation: Number(row.generation),
  sequence: Number(row.sequence),
  manifestSha256: row.manifest_sha256,
  reference: row.reference,
  at: Number(row.at),
});
