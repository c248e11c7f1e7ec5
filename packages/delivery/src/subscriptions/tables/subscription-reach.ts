import type { Knex } from "@cadastre/store/registry";
import { acknowledgementTable } from "../../ledger/tables/acknowledgements.ts";
import { type DeliveryRow, deliveryTable } from "../../ledger/tables/delivery-rows.ts";
import type { ReachedDelivery, SubscriptionReach } from "../subscription.ts";

/** Number of the last deliveries that are looked at for one that was acknowledged: more than two weeks of the shortest cadence. */
const lookedAt = 5000;

/** Returns how far a subscription has come. */
export async function selectReach(knex: Knex, subscription: string): Promise<SubscriptionReach> {
  const last = deliveryTable(knex)
    .where({ subscription })
    .whereNotNull("completed")
    .orderBy(["generation", "sequence"].map((column) => ({ column, order: "desc" as const })));
  const delivered = await last.clone().first();
  if (delivered === undefined) return { delivered: null, acknowledged: null };
  const acknowledged: (DeliveryRow & { readonly at: number | string }) | undefined = await knex
    .from(last.clone().limit(lookedAt).as("d"))
    .join(acknowledgementTable(knex).as("k"), "k.delivery", "d.id")
    .orderBy(["d.generation", "d.sequence"].map((column) => ({ column, order: "desc" as const })))
    .first("d.*", "k.at");
  return {
    delivered: reachedBy(delivered, delivered.completed),
    acknowledged: acknowledged === undefined ? null : reachedBy(acknowledged, acknowledged.at),
  };
}

const reachedBy = (
  { id, generation, sequence, created }: DeliveryRow,
  at: number | string | null,
): ReachedDelivery => ({
  id,
  generation: Number(generation),
  sequence: Number(sequence),
  asOf: Number(created),
  at: Number(at),
});
